#!/usr/bin/env bash
# Prints the line coverage of BLEOTAWire, BLEOTAManifest and BLEOTACore by the protocol's tests in the last `make test`, and fails
# if one of them is under the limit. With --files it prints every file.
source "$(dirname "$0")/common.sh"

minimum_percent=95
folder=.build-test/debug
profile=$folder/codecov/protocol.profdata
binary=$folder/bleotaPackageTests.xctest
status=0

main() {
    local programs module raw=("$folder"/codecov/*.profraw)
    [[ -f ${raw[0]} && -f $binary ]] || fail "there is no coverage yet: run make test first"
    programs=$(toolchain_programs)
    "$programs/llvm-profdata" merge --sparse --output "$profile" "${raw[@]}"
    for module in BLEOTAWire BLEOTAManifest BLEOTACore; do
        [[ ${1:-} != --files ]] || report "$module"
        summarize "$module" "$(report "$module")"
    done
    exit "$status"
}

report() {
    "$programs/llvm-cov" report "$binary" -instr-profile="$profile" "Sources/$1"
}

# The totals are the last line of a report: lines and missed lines are its fields 8 and 9.
summarize() {
    local module=$1 lines missed
    read -r lines missed < <(awk '$1 == "TOTAL" { print $8, $9 }' <<<"$2")
    [[ ${lines:-0} -gt 0 ]] || fail "llvm-cov reports no lines of Sources/$module"
    printf '%-10s %s %% of %d lines covered by tests\n' "$module" \
        "$(awk -v l="$lines" -v m="$missed" 'BEGIN { printf "%.1f", 100 * (l - m) / l }')" "$lines"
    if ((100 * (lines - missed) < minimum_percent * lines)); then
        printf '%s: %s is under %d %%: scripts/coverage.sh --files shows where\n' \
            "${0##*/}" "$module" "$minimum_percent" >&2
        status=1
    fi
}

main "$@"
