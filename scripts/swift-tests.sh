#!/usr/bin/env bash
# Builds the Swift tests, or runs a part of them as they are built:
#
#     scripts/swift-tests.sh build
#     scripts/swift-tests.sh PART…     protocol, library, bus, tool, tool-waits, devices
#
# There is one build for all, in .build-test: with the checks of a debug build, with coverage, and with the modules that are
# shipped and the tests that compute optimized, which then take a fifth of the processor time. To optimize dependencies and
# the other tests would take more time than it saves. (A release build would optimize each module as a whole; then the
# compiler of Swift 6.3 stretches accesses to noncopyable state in test classes over loops, and the run-time check of
# exclusive access stops the tests.)
# The parts are started as programs, because `swift test` lets only one run in a folder at a time.
source "$(dirname "$0")/common.sh"

tests=.build-test/debug/bleotaPackageTests.xctest
profiles=.build-test/debug/codecov
tool_waits='(ToolWrongPeer|Install|Interrupt|KilledProcess|Serial)Tests'

main() {
    local part
    # Coverage is that of the protocol's tests; every process of the others would write megabytes of it.
    export LLVM_PROFILE_FILE=/dev/null
    for part in "$@"; do
        case $part in
        build)
            # As in scripts/build.sh, which says why.
            SWIFT_DETERMINISTIC_HASHING=1 BLEOTA_OPTIMIZED_TESTS=1 swift build --build-tests --scratch-path .build-test \
                --disable-xctest --enable-code-coverage --enable-all-traits
            ;;
        # Wire, manifests, core, devices, simulations, models of other protocols, spec and the corpus of the fuzzers: all processor.
        protocol)
            rm -rf "$profiles"
            export LLVM_PROFILE_FILE=$PWD/$profiles/%p.profraw
            run_tests 'BLEOTAWireTests|BLEOTAManifestTests|BLEOTACoreTests|BLEOTADeviceTests|BLEOTASimulationTests|BaselinesTests|SpecTests|FuzzReplayTests'
            ;;
        # Transports, stores, images and drivers. They have deadlines, and run one after the other.
        library) run_tests BLEOTATests --no-parallel ;;
        # D-Bus and the client of the Bluetooth daemon, against a bus of their own.
        bus) run_tests 'DBusTests|BlueZTests' --no-parallel ;;
        # The tool, as a user runs it: what makes it wait, for peers, cables and programs, and the rest.
        tool-waits) run_tests "BLEOTAToolTests\\.$tool_waits" --no-parallel ;;
        tool)
            use_firmware
            run_tests BLEOTAToolTests --no-parallel --skip "^BLEOTAToolTests\\.($tool_waits|OtherDeviceTests)/"
            ;;
        # Other makers' protocols: their machines, and devices in Python that were written without them.
        devices)
            scripts/devices.sh
            (cd Tests/Devices && "$root/.build-devices/bin/python" -m unittest --quiet test_devices)
            export BLEOTA_REQUIRE_DEVICES=1
            run_tests 'BLEOTASMPTests|BLEOTANordicDFUTests|BLEOTAESPOTATests|BLEOTAToolTests\.OtherDeviceTests' --no-parallel
            ;;
        *) fail "no such part: $part (there are build, protocol, library, bus, tool, tool-waits and devices)" ;;
        esac
    done
}

# Arguments: modules or suites, and options of Swift Testing.
run_tests() {
    local names=$1
    shift
    [[ -x $tests ]] || fail "there is no $tests: scripts/swift-tests.sh build makes it"
    "$tests" --testing-library swift-testing "$@" --filter "^($names)[./]" ||
        fail "a Swift test failed; see above"
}

main "$@"
