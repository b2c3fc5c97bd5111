#!/bin/sh
# Runs a small fleet on this machine, with everything real but the radio: Demo/Demo.swift says what
# happens. Leaves nothing behind.
set -eu

cd "$(dirname "$0")/.."
scripts/server.sh >/dev/null
# As in scripts/examples.sh of the package above, which says why.
for product in bleota-fleet FleetDemo; do
    SWIFT_DETERMINISTIC_HASHING=1 swift build -c release --product "$product"
done
exec .build/release/FleetDemo
