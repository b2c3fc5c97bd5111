#!/usr/bin/env bash
# Measures, in a guest with a real Bluetooth daemon, a push against a bare flood of write commands and
# against one write request at a time. The emulated radio has no connection interval: only the ratios
# mean something.
source "$(dirname "$0")/common.sh"

# In the guest: a device on hci1, and the benchmark on hci0.
if [[ ${1:-} == inside ]]; then
    store=$(mktemp -d)
    .build/release/bleota receive --advertise --adapter hci1 --store "$store" --json >"$store/events" &
    device=$!
    until grep -q advertising "$store/events"; do sleep 0.1; done
    .build-bench/release/BluetoothSpeed hci0 00:AA:01:01:00:01
    kill "$device"
    exit
fi

for channels in 1 3; do
    step "[GATT] Channels = $channels"
    scripts/guest.sh --timeout 600 --main-conf "GATT.Channels=$channels" -- scripts/bench-bluez.sh inside
done
