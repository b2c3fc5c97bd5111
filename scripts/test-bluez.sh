#!/usr/bin/env bash
# Runs the tests that need Bluetooth in guests with a real Bluetooth daemon, two guests at a time:
#
#     scripts/test-bluez.sh           all of them
#     scripts/test-bluez.sh smoke     one push
#     scripts/test-bluez.sh NAME…     some of the guests: faults, push, queue, uses, tools, …
#     scripts/test-bluez.sh --adapters CENTRAL DEVICE [NAME…]
#                                     without guests: on this machine, with two adapters of its own, such as
#                                     hci0 and hci1; what unplugs adapters or ends the daemon is left out
#
# The tests are built before (scripts/test.sh does), in .build-test; the tool that they run is the one
# for use, .build/release/bleota.
source "$(dirname "$0")/common.sh"

tests=$PWD/.build-test/debug/bleotaPackageTests.xctest
logs=$PWD/.build-guest-logs
guests_at_once=2

adapters=()
if [[ ${1:-} == --adapters ]]; then
    [[ $# -ge 3 ]] || fail "--adapters needs two, for example: --adapters hci0 hci1"
    adapters=("$2" "$3")
    shift 3
fi
wanted=("$@")

main() {
    [[ -x $tests ]] || fail "there is no $tests; build the tests first: make test"
    if [[ ${#adapters[@]} -eq 0 ]] && ! scripts/guest/build.sh; then
        printf 'The tests with a Bluetooth daemon were left out: see above.\n'
        return
    fi
    mkdir -p "$logs"
    rm -f "$logs"/*
    export BLEOTA_TOOL=$PWD/.build/release/bleota
    export BLEOTA_FIRMWARE_DIR=${BLEOTA_FIRMWARE_DIR:-$PWD/.build-firmware}
    if [[ ${wanted[*]} == smoke ]]; then
        queue smoke plain 'PushTests/onlyOne'
    else
        BLEOTA_PYTHON=$(scripts/guest/python.sh) ||
            printf 'The tests with tools in Python are left out: see above.\n'
        export BLEOTA_PYTHON
    fi
    if [[ ${#adapters[@]} -gt 0 ]]; then
        queue push plain '(PushTests|BenchTests)'
        queue faults 'slow radio' 'FaultTests'
        queue uses plain 'Uses'
        queue tools plain 'OtherToolsTests'
    elif [[ ${wanted[*]} != smoke ]]; then
        # The longest first.
        # One channel, as later releases have it by default: three make 5.66 slow, and are a test of their own.
        queue uses plain 'Uses' GATT.Channels=1
        queue faults 'slow radio' '(StrengthTests|FaultTests)' GATT.Channels=1 2 30,3
        queue push plain '(PushTests|BenchTests)' GATT.Channels=1
        queue queue plain 'QueueTests' GATT.Channels=1
        queue tools plain 'OtherToolsTests/(bleakAndReceiver|bluetoothctl|bless)' GATT.Channels=1
        # In a guest of its own: the devices of these tests share an address, and bleak takes the services
        # of one that it finds cached for all that there are.
        queue bleak plain 'OtherToolsTests/bleakAndLibrary' GATT.Channels=1
        queue pairing plain 'PairingTests' GATT.Channels=1
        queue several controllers=3 '(SeveralDevicesTests|TogetherTests)' GATT.Channels=1 3 7.5,6
        queue failures plain '(FailureTests|DoctorTests)'
        queue order Channels=3 'SettingsTests' GATT.Channels=3
        local mtu
        queue mtu-23 ExchangeMTU=23 'SettingsTests'
        for mtu in 65 185 247 498 517; do
            queue "mtu-$mtu" "ExchangeMTU=$mtu" 'SettingsTests' "GATT.ExchangeMTU=$mtu"
        done
    fi
    [[ ${#names[@]} -gt 0 ]] || fail "no such guest: ${wanted[*]}; this script lists them"
    if [[ ${#adapters[@]} -gt 0 ]]; then use_adapters; fi
    run_queue
}

# Has the tests run here, one group after the other.
use_adapters() {
    guests_at_once=1
    export BLEOTA_CENTRAL=${adapters[0]} BLEOTA_DEVICE=${adapters[1]}
    BLEOTA_CENTRAL_ADDRESS=$(address_of "$BLEOTA_CENTRAL")
    BLEOTA_DEVICE_ADDRESS=$(address_of "$BLEOTA_DEVICE")
    BLEOTA_SERVICES=$(mktemp -d)
    export BLEOTA_CENTRAL_ADDRESS BLEOTA_DEVICE_ADDRESS BLEOTA_SERVICES
    trap 'rm -r "$BLEOTA_SERVICES"' EXIT
    export PATH=$PWD/scripts/guest/bin:$PATH
}

address_of() {
    local answer
    answer=$(dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1" \
        org.freedesktop.DBus.Properties.Get string:org.bluez.Adapter1 string:Address 2>&1) ||
        fail "there is no adapter $1; bluetoothctl list shows which there are, if the daemon runs"
    grep -oE '([0-9A-F]{2}:){5}[0-9A-F]{2}' <<<"$answer"
}

# Whether the guest $1 was asked for.
is_wanted() {
    [[ ${#wanted[@]} -eq 0 || " ${wanted[*]} " == *" $1 "* ]]
}

names=() settings=() filters=() configurations=() controllers=() radios=()

# queue NAME SETTINGS FILTER ['SECTION.KEY=VALUE …' [CONTROLLERS [INTERVAL_MS,PACKETS]]]
queue() {
    is_wanted "$1" || return 0
    names+=("$1")
    settings+=("$2")
    filters+=("$3")
    configurations+=("${4:-}")
    controllers+=("${5:-2}")
    radios+=("${6:-}")
}

run_queue() {
    local index running=0 failed=()
    local -A name_of=()
    for index in "${!names[@]}"; do
        if ((running >= guests_at_once)); then
            wait_for_one
        fi
        run_guest "$index" &
        name_of[$!]=${names[index]}
        running=$((running + 1))
    done
    while ((running > 0)); do wait_for_one; done
    [[ ${#failed[@]} -gt 0 ]] || return 0
    # Once more, where whoever reads the end of a long log finds it.
    local name
    for name in "${failed[@]}"; do
        step "What failed in the guest $name"
        # What an error says may go on over several lines.
        grep -E -A 100 '✘' "$logs/$name.log" | cut -c 1-1000 | head -n 200 || true
        tail -n 15 "$logs/$name.log" | cut -c 1-1000
    done
    step "In short"
    for name in "${failed[@]}"; do
        { grep -E 'recorded an issue' "$logs/$name.log" || tail -n 3 "$logs/$name.log"; } |
            head -n 5 | cut -c 1-300 | sed "s/^/$name: /"
    done
    fail "failed in the guest: ${failed[*]}; see $logs"
}

# Of the variables of run_queue.
wait_for_one() {
    local ended status=0
    wait -n -p ended || status=$?
    running=$((running - 1))
    local name=${name_of[$ended]}
    grep -hE '✘|Test run with|^(push|bench|fault|use|said in|bluetoothd:|ExchangeMTU|Channels)' "$logs/$name.log" | sed "s/^/  $name: /"
    [[ $status -eq 0 ]] || failed+=("$name")
}

run_guest() {
    local arguments=(--testing-library swift-testing --no-parallel --filter "BluetoothTests.${filters[$1]}")
    export BLEOTA_GUEST=${settings[$1]} LLVM_PROFILE_FILE=/dev/null
    if [[ ${#adapters[@]} -gt 0 ]]; then
        "$tests" "${arguments[@]}" >"$logs/${names[$1]}.log" 2>&1
        return
    fi
    local options=(--timeout 900 --controllers "${controllers[$1]}")
    [[ -z ${radios[$1]} ]] || options+=(--radio "${radios[$1]}")
    local setting
    for setting in ${configurations[$1]}; do options+=(--main-conf "$setting"); done
    scripts/guest.sh "${options[@]}" -- "$tests" "${arguments[@]}" >"$logs/${names[$1]}.log" 2>&1
}

main "$@"
