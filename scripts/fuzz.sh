#!/usr/bin/env bash
# Runs each fuzzer of Tests/Fuzz, or those named, for the given number of minutes, from its kept
# corpus.
#
#     scripts/fuzz.sh MINUTES [FUZZER…]
#
# What the run found joins the kept corpus as far as it covers something new. An input that traps
# is written to Tests/Fuzz/FailCases, and ends the run.
source "$(dirname "$0")/common.sh"

minutes=${1:-10}
fuzzers=("${@:2}")
((${#fuzzers[@]})) || fuzzers=(FrameFuzzer SenderFuzzer ReceiverFuzzer HostileFuzzer)
[[ $minutes =~ ^[1-9][0-9]{0,3}$ ]] ||
    fail "MINUTES is how long each fuzzer runs, a whole number from 1 to 9999, not \"$minutes\""

# libFuzzer has to see the crash itself, so Swift's own backtracer stays out of its way.
export SWIFT_BACKTRACE=enable=no

step "Building the fuzzers"
for fuzzer in "${fuzzers[@]}"; do
    BLEOTA_FUZZERS=1 swift build --scratch-path .build-fuzz -c release --product "$fuzzer" \
        -Xswiftc -sanitize=fuzzer,address
done

for fuzzer in "${fuzzers[@]}"; do
    step "$fuzzer, $minutes min"
    corpus=Tests/Fuzz/Corpus/$fuzzer
    found=.build-fuzz/corpus/$fuzzer
    failures=Tests/Fuzz/FailCases/$fuzzer
    program=.build-fuzz/release/$fuzzer
    mkdir -p "$corpus" "$found" "$failures"
    # A run takes milliseconds, and AddressSanitizer with what it has set aside some 200 MB.
    "$program" -max_total_time=$((minutes * 60)) -artifact_prefix="$failures/" \
        -timeout=20 -rss_limit_mb=1024 \
        -use_value_profile=1 -print_final_stats=1 "$found" "$corpus" ||
        fail "$fuzzer found an input that fails; it is the newest file in $failures"
    if [[ $fuzzer == HostileFuzzer ]]; then
        # The tasks of a device take other edges each time: what it answers decides.
        "$program" keep "$corpus" "$found"
        continue
    fi
    # By edges alone: how often each was taken would keep ten times as many inputs.
    "$program" -merge=1 -use_counters=0 "$corpus" "$found"
done
