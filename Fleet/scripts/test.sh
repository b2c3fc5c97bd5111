#!/bin/sh
# Builds the package and runs its tests, the one that counts threads in a process of its own.
set -eu

cd "$(dirname "$0")/.."
scripts/server.sh >/dev/null
swift build --build-tests --disable-xctest
program=.build/debug/bleota-fleetPackageTests.xctest
"$program" --testing-library swift-testing
FLEET_TEST_ALONE=1 "$program" --testing-library swift-testing --filter LeakTests
