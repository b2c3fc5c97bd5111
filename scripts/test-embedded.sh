#!/usr/bin/env bash
# Builds the receiver for microcontrollers, and runs it in emulators.
source "$(dirname "$0")/common.sh"

tool=${BLEOTA_TOOL:-.build/release/bleota}

step "The receiver as Embedded Swift, without heap"
scripts/embedded.sh

step "Libraries for three kinds of processor"
scripts/build-embedded.sh

step "Integration guides"
Embedded/Guides/check.sh

step "Vectors of the specification on microcontrollers (QEMU)"
Embedded/Conformance/run.sh

step "What the receiver takes of a microcontroller"
Embedded/Device/build.sh
Embedded/figures.sh

step "The reference device on two boards (QEMU)"
if [[ -z ${BLEOTA_FIRMWARE_DIR:-} ]] && command -v apt-get >/dev/null; then
    BLEOTA_FIRMWARE_DIR=$(scripts/fetch-firmware.sh .build-firmware)
    export BLEOTA_FIRMWARE_DIR
fi
# Both at a time: what takes long is the serial line of the emulator.
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
boards=(mps2-an386 microbit)
runs=()
for board in "${boards[@]}"; do
    python3 Embedded/Device/test/run.py --board "$board" --tool "$tool" >"$logs/$board" 2>&1 &
    runs+=($!)
done
failed=()
for index in "${!boards[@]}"; do
    wait "${runs[index]}" || failed+=("${boards[index]}")
    cat "$logs/${boards[index]}"
done
[[ ${#failed[@]} -eq 0 ]] || fail "the reference device fails on ${failed[*]}; see above"

printf '\nmake test-embedded: everything passed in %d min %d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
