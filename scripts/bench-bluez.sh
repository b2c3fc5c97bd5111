#!/usr/bin/env bash
# Measures, in guests with a real Bluetooth daemon and emulated controllers, what each way of writing makes of
# a link (`bleota bench`), and a push against a bare flood of write commands and against one write request at
# a time (BluetoothSpeed). All of it goes into Benchmarks/Results/guest.json:
#
#     scripts/bench-bluez.sh [SECONDS [REPEATS]]     of each run, and runs of each kind: 5 and 5 by default
#
# With connection events, as a real radio has them (scripts/guest/radio.py), the figures compare what each way
# makes of a link. Without, the emulated radio is as fast as the guest's one processor, which everything
# shares, and they compare what each way costs in processor time.
source "$(dirname "$0")/common.sh"

att_mtus=(23 65 185 247 517)

# In the guest: a device on hci1, and the benchmarks on hci0. Arguments: what to run, seconds, repeats.
if [[ ${1:-} == inside ]]; then
    store=$(mktemp -d)
    .build/release/bleota receive --advertise --allow-unsigned --adapter hci1 --store "$store" --json >"$store/events" &
    device=$!
    until grep -q advertising "$store/events"; do sleep 0.1; done
    address=00:AA:01:01:00:01
    if [[ $2 == all ]]; then
        .build/release/bleota bench --device "$address" --adapter hci0 --yes --seconds "$3" --repeats "$4" \
            "${att_mtus[@]/#/--mtu=}" --json >/results/grid
    fi
    .build-bench-library/release/BluetoothSpeed hci0 "$address" "$4" /results/speed
    kill "$device"
    exit
fi

seconds=${1:-5}
repeats=${2:-5}
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# measure NAME TITLE WHAT CHANNELS [OPTION…]
measure() {
    step "$2"
    scripts/guest.sh --timeout 3600 --results "$results/$1" --main-conf "GATT.Channels=$4" "${@:5}" -- \
        scripts/bench-bluez.sh inside "$3" "$seconds" "$repeats"
}

measure 15,6 "A connection event every 15 ms, of six packets" all 1 --radio 15,6
measure 30,4 "A connection event every 30 ms, of four packets" all 1 --radio 30,4
measure unlimited "A radio as fast as the processor" all 1
measure channels "A radio as fast as the processor, three EATT channels" speed 3

accelerator=${BLEOTA_GUEST_ACCELERATOR:-$(<"${BLEOTA_GUEST_DIR:-.build-guest}/accelerator")}
step "Benchmarks/Results/guest.json"
# A machine with other work slows the guest down; one without has a load of hardly more than 1.
read -r _ _ load _ </proc/loadavg
load="$load on $(nproc) processors, over the last 15 minutes"
# Only whole: what fails above leaves the old one.
python3 scripts/guest-figures.py "$results" "$accelerator" "$load" >"$results/guest.json"
mv "$results/guest.json" Benchmarks/Results/guest.json
python3 scripts/guest-figures.py --show Benchmarks/Results/guest.json
