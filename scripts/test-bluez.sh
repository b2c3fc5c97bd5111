#!/usr/bin/env bash
# Runs the tests that need Bluetooth in guests with a real Bluetooth daemon, two guests at a time:
#
#     scripts/test-bluez.sh           all of them
#     scripts/test-bluez.sh smoke     one push
#     scripts/test-bluez.sh NAME…     some of the guests: faults, push, queue, uses, tools, …
#
# The tests are built before (scripts/test.sh does), in .build-test; the tool that they run is the one
# for use, .build/release/bleota.
source "$(dirname "$0")/common.sh"

tests=$PWD/.build-test/debug/bleotaPackageTests.xctest
logs=$PWD/.build-guest-logs
guests_at_once=2

wanted=("$@")

main() {
    [[ -x $tests ]] || fail "there is no $tests; build the tests first: make test"
    if ! scripts/guest/build.sh; then
        printf 'The tests with a Bluetooth daemon were left out: see above.\n'
        return
    fi
    mkdir -p "$logs"
    rm -f "$logs"/*
    export BLEOTA_TOOL=$PWD/.build/release/bleota
    export BLEOTA_FIRMWARE_DIR=${BLEOTA_FIRMWARE_DIR:-$PWD/.build-firmware}
    if [[ ${1:-} == smoke ]]; then
        queue smoke plain 'PushTests/onlyOne'
    else
        BLEOTA_PYTHON=$(scripts/guest/python.sh) ||
            printf 'The tests with tools in Python are left out: see above.\n'
        export BLEOTA_PYTHON
        # The longest first.
        # One channel, as later releases have it by default: three make 5.66 slow, and are a test of their own.
        queue faults plain 'FaultTests' GATT.Channels=1
        queue push plain 'PushTests' GATT.Channels=1
        queue queue plain 'QueueTests' GATT.Channels=1
        queue uses plain 'Uses' GATT.Channels=1
        queue tools plain 'OtherToolsTests/(bleakAndReceiver|bluetoothctl|bless)' GATT.Channels=1
        # In a guest of its own: the devices of these tests share an address, and bleak takes the services
        # of one that it finds cached for all that there are.
        queue bleak plain 'OtherToolsTests/bleakAndLibrary' GATT.Channels=1
        queue several controllers=3 'SeveralDevicesTests' GATT.Channels=1 3
        queue failures plain '(FailureTests|DoctorTests)'
        queue order Channels=3 'SettingsTests' GATT.Channels=3
        local mtu
        queue mtu-23 ExchangeMTU=23 'SettingsTests'
        for mtu in 65 185 247 498 517; do
            queue "mtu-$mtu" "ExchangeMTU=$mtu" 'SettingsTests' "GATT.ExchangeMTU=$mtu"
        done
    fi
    [[ ${#names[@]} -gt 0 ]] || fail "no such guest: ${wanted[*]}; this script lists them"
    run_queue
}

# Whether the guest $1 was asked for.
is_wanted() {
    [[ ${#wanted[@]} -eq 0 || " ${wanted[*]} " == *" $1 "* ]]
}

names=() settings=() filters=() configurations=() controllers=()

# queue NAME SETTINGS FILTER ['SECTION.KEY=VALUE …' [CONTROLLERS]]
queue() {
    is_wanted "$1" || return 0
    names+=("$1")
    settings+=("$2")
    filters+=("$3")
    configurations+=("${4:-}")
    controllers+=("${5:-2}")
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
    [[ ${#failed[@]} -eq 0 ]] || fail "failed in the guest: ${failed[*]}; see $logs"
}

# Of the variables of run_queue.
wait_for_one() {
    local ended status=0
    wait -n -p ended || status=$?
    running=$((running - 1))
    local name=${name_of[$ended]}
    grep -hE '✘|Test run with|^(push|fault|use|said in|bluetoothd:|ExchangeMTU|Channels)' "$logs/$name.log" | sed "s/^/  $name: /"
    if [[ $status -ne 0 ]]; then
        failed+=("$name")
        tail -n 15 "$logs/$name.log"
    fi
}

run_guest() {
    local options=(--timeout 900 --controllers "${controllers[$1]}")
    local setting
    for setting in ${configurations[$1]}; do options+=(--main-conf "$setting"); done
    BLEOTA_GUEST=${settings[$1]} LLVM_PROFILE_FILE=/dev/null \
        scripts/guest.sh "${options[@]}" -- \
        "$tests" --testing-library swift-testing --no-parallel --filter "BluetoothTests.${filters[$1]}" \
        >"$logs/${names[$1]}.log" 2>&1
}

main "$@"
