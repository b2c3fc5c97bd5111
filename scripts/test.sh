#!/usr/bin/env bash
# Runs every test there is, the cheap ones first.
source "$(dirname "$0")/common.sh"

if command -v shellcheck >/dev/null; then
    step "Scripts (shellcheck)"
    shellcheck -x -P SCRIPTDIR scripts/*.sh scripts/guest/*.sh scripts/guest/bin/* .ci/run \
        Embedded/*.sh Embedded/*/*.sh
fi

step "Format"
scripts/format.sh --check

step "Embedded Swift"
scripts/embedded.sh

step "Test vectors of the spec"
python3 spec/vectors/generate.py --verify

step "The protocol's model (SPIN)"
scripts/model.sh

step "Real firmware images"
if [[ -n ${BLEOTA_FIRMWARE_DIR:-} ]]; then
    printf 'From BLEOTA_FIRMWARE_DIR: %s\n' "$BLEOTA_FIRMWARE_DIR"
elif command -v apt-get >/dev/null; then
    BLEOTA_FIRMWARE_DIR=$(scripts/fetch-firmware.sh .build-firmware)
    export BLEOTA_FIRMWARE_DIR
    printf 'In %s\n' "$BLEOTA_FIRMWARE_DIR"
else
    printf 'Left out: they come from Debian packages, and there is no apt-get here.\n'
fi

# One build for all, with every check of a debug build and with coverage. (In release the optimizer of
# Swift 6.3 stretches accesses to noncopyable state in test classes over loops, and the run-time check of
# exclusive access then stops the tests.) What is bound by the processor runs apart from what talks to
# other processes and has deadlines.
run_tests() {
    swift test --scratch-path .build-test --disable-xctest --enable-code-coverage --enable-all-traits "$@" ||
        fail "a Swift test failed; see above"
}

step "Tests of the protocol: wire, core, devices, spec, fuzz corpus"
run_tests --filter '^(BLEOTAWireTests|BLEOTACoreTests|BLEOTADeviceTests|BLEOTASimulationTests|SpecTests|FuzzReplayTests)\.'

step "Coverage"
scripts/coverage.sh

step "Tests of transports, stores, images and drivers"
run_tests --no-parallel --filter '^BLEOTATests\.'

step "Tests of D-Bus, against a daemon of their own"
run_tests --no-parallel --filter '^(DBusTests|BlueZTests)\.'

step "Tests of the tool, as a user runs it"
run_tests --no-parallel --filter '^BLEOTAToolTests\.'

step "Without Bluetooth and patches: a tool that needs neither libdbus nor libzstd"
swift build --scratch-path .build-plain --disable-default-traits --product bleota
if ldd .build-plain/debug/bleota | grep -E 'libdbus|libzstd'; then fail "it is linked to that all the same"; fi
.build-plain/debug/bleota push README.md --loopback --quiet

printf '\nmake test: everything passed in %d min %d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
