#!/bin/sh
# Runs a small fleet on this machine, with everything real but the radio: Demo/Demo.swift says what
# happens. Leaves nothing behind.
set -eu

cd "$(dirname "$0")/.."
scripts/server.sh >/dev/null
for product in bleota-fleet FleetDemo; do swift build -c release --product "$product"; done
exec .build/release/FleetDemo
