#!/usr/bin/env bash
# Checks that the released tool is small, and prints how long it takes to start:
#
#     scripts/size.sh [PROGRAM]
#
# The program is measured without its symbols, as packages ship it. The time is printed, but not judged, because it depends
# on the load of the machine. System calls are not counted either: their number depends on the libraries of the system.
source "$(dirname "$0")/common.sh"

program=${1:-.build/release/bleota}
byte_count_max=20000000
start_count=21

[[ -x $program ]] || fail "there is no $program: scripts/build.sh makes it"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(toolchain_programs)/llvm-strip" -o "$folder/bleota" "$program" 2>/dev/null || strip -o "$folder/bleota" "$program"
byte_count=$(stat -c %s "$folder/bleota")

times=()
for ((start = 0; start < start_count; start++)); do
    before=${EPOCHREALTIME/./}
    "$folder/bleota" --version >/dev/null
    times+=("$((${EPOCHREALTIME/./} - before))")
done
mapfile -t times < <(printf '%s\n' "${times[@]}" | sort -n)

printf 'without symbols: %d bytes of at most %d\n' "$byte_count" "$byte_count_max"
printf 'bleota --version: %d µs at best, %d µs in the median of %d starts\n' \
    "${times[0]}" "${times[start_count / 2]}" "$start_count"
((byte_count <= byte_count_max)) ||
    fail "the tool has become too large; see what takes it with: nm --size-sort --print-size $program"
