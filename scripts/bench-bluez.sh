#!/usr/bin/env bash
# Measures, in a guest with a real Bluetooth daemon, a push against a bare flood of write commands and
# against one write request at a time.
#
# With connection events, as a real radio has them (scripts/guest/radio.py), the figures compare what each way
# makes of a link. Without, the emulated radio is as fast as the guest's one processor, which everything
# shares, and they compare what each way costs in processor time.
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

# measure TITLE CHANNELS [OPTION…]
measure() {
    step "$1"
    scripts/guest.sh --timeout 900 --main-conf "GATT.Channels=$2" "${@:3}" -- scripts/bench-bluez.sh inside
}

measure "A connection event every 15 ms, of six packets" 1 --radio 15,6
measure "A connection event every 30 ms, of four packets" 1 --radio 30,4
measure "A radio as fast as the processor" 1
measure "A radio as fast as the processor, three EATT channels" 3
