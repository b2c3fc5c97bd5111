#!/usr/bin/env bash
# Measures, in a guest with a real Bluetooth daemon, a push against a bare flood of write commands and
# against one write request at a time.
#
# The emulated radio is as fast as the guest's processor, which everything shares: then the figures compare
# what each way costs in processor time. With the radio held to what a real one carries, some 100 kB/s,
# they compare what each way makes of a link.
source "$(dirname "$0")/common.sh"

# In the guest: a device on hci1, and the benchmark on hci0.
if [[ ${1:-} == inside ]]; then
   :
    store=$(mktemp -d)
    .build/release/bleota receive --advertise --adapter hci1 --store "$store" --json >"$store/events" &
    device=$!
    until grep -q advertising "$store/events"; do sleep 0.1; done
    .build-bench/release/BluetoothSpeed hci0 ${3:-00:AA:01:01:00:01}
    kill "$device"
    exit
fi

measure() {
    step "$1"
    scripts/guest.sh --timeout 900 --main-conf "GATT.Channels=$2" -- scripts/bench-bluez.sh inside "$3"
}

measure "A radio as fast as the processor" 1 unlimited
measure "A radio of some 100 kB/s" 1 limited
measure "A radio as fast as the processor, three EATT channels" 3 unlimited
