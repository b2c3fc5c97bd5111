#!/bin/sh
# Builds the package, and runs its tests, the one that counts threads in a process of its own:
#
#     test.sh        all of these
#     test.sh build
#     test.sh run
#     test.sh page   types the commands of docs/fleet.md; needs the tool bleota, as make build leaves it
#
# The folder is that of scripts/examples.sh in the package above, which has compiled what this
# depends on if it has run; FLEET_BUILD names another one.
set -eu

cd "$(dirname "$0")/.."
build=${FLEET_BUILD:-../.build-examples}
program=$build/debug/bleota-fleetPackageTests.xctest

case ${1:-all} in
all | build)
    # Now, because the stages that run this need it, and run side by side.
    scripts/server.sh >/dev/null
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
case ${1:-all} in
all | page) scripts/page.sh ;;
esac
