#!/bin/sh
# Builds the package, and runs its tests, the one that counts threads in a process of its own:
#
#     test.sh        both
#     test.sh build
#     test.sh run
#
# The folder is that of scripts/examples.sh in the package above, which has compiled what this
# depends on if it has run.
set -eu

cd "$(dirname "$0")/.."
build=../.build-examples
program=$build/debug/bleota-fleetPackageTests.xctest

case ${1:-all} in
all | build)
    # As in scripts/examples.sh, which says why.
    SWIFT_DETERMINISTIC_HASHING=1 swift build --scratch-path "$build" --build-tests --disable-xctest
    ;;
esac
case ${1:-all} in
all | run)
    scripts/server.sh >/dev/null
    # One target at a time: each test starts servers of its own, and those of all targets together
    # keep two processors so busy that answers come too late.
    for target in FleetModel NATS FleetControl FleetGateway FleetTool FleetSecurity FleetConsole FleetFault; do
        "$program" --testing-library swift-testing --filter "^${target}Tests\\."
    done
    FLEET_TEST_ALONE=1 "$program" --testing-library swift-testing --filter LeakTests
    ;;
esac
