#!/usr/bin/env bash
# Tests the guest itself: start, controllers, helpers, the ways that a run can end, and a GATT connection
# between other makers' tools in Python. Prints how long the start took.
source "$(dirname "$0")/common.sh"

main() {
    scripts/guest/build.sh
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT

    step "Exit codes, output, /results and settings"
    local began=$EPOCHREALTIME
    # shellcheck disable=SC2016  # the guest expands it
    expect 3 --results "$folder" --main-conf GATT.Channels=1 --main-conf General.Name=peer -- sh -c '
        cat /guest/ready.log; echo out; echo err >&2; pwd
        cp /etc/bluetooth/main.conf /results/; echo "$BLEOTA_TEST" >/results/variable
        exit 3'
    printf 'The command ran %s s after the kernel began; the whole run took %s s.\n' \
        "$(head -n 1 "$folder/output")" \
        "$(awk -v from="$began" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }')"
    check "both streams" test "$(sed -n '2,4p' "$folder/output")" == $'out\nerr\n'"$root"
    check "a variable" grep -qx 'a b' "$folder/variable"
    check "a setting of a section" test "$(grep -A 1 -xF '[GATT]' "$folder/main.conf")" == $'[GATT]\nChannels=1'
    check "another setting" grep -qx 'Name=peer' "$folder/main.conf"
    check "logs" test -s "$folder/guest-logs/bluetoothd.log"

    step "A command that takes too long"
    expect 70 --timeout 25 -- sleep 100
    check "says so" grep -q 'ran out of its 25 s while running the command' "$folder/errors"

    step "A kernel that panics"
    expect 70 --without-bluetooth -- sh -c 'echo c >/proc/sysrq-trigger; sleep 10'
    check "says so" grep -q 'kernel panicked while running the command' "$folder/errors"
    check "shows the console" grep -q 'last lines of console.log' "$folder/errors"

    step "A kernel that oopses and a bluetoothd that dies under a command"
    expect 0 --without-bluetooth -- sh -c 'echo "<1>Oops: test" >/dev/kmsg'
    check "says so of a command that ended well" grep -q "kernel oopsed" "$folder/errors"
    expect 71 --without-bluetooth -- sh -c 'echo "<1>Oops: test" >/dev/kmsg; exit 3'
    check "says so" grep -q "kernel oopsed" "$folder/errors"
    # shellcheck disable=SC2016  # the guest expands it
    expect 3 --again --results "$folder" -- sh -c '
        if [ -e /results/again ]; then exit 3; fi
        touch /results/again
        kill -KILL "$(pgrep -x bluetoothd)"; sleep 1; exit 4'
    check "says so" grep -q "bluetoothd died.*started again, once" "$folder/errors"
    check "logs of both" test -s "$folder/first-guest-logs/bluetoothd.log" -a -s "$folder/guest-logs/bluetoothd.log"

    step "Controllers and helpers, in the guest"
    expect 0 -- bash scripts/guest/self-test.sh inside
    cat "$folder/output"

    step "Two guests at once"
    scripts/guest.sh -- bluetoothctl list >"$folder/other" &
    local other=$!
    expect 0 -- bluetoothctl list
    check "the other one" wait "$other"
    check "the same in both" test "$(sort "$folder/other")" == "$(sort "$folder/output")"

    step "bleak and bless, in the guest"
    local python
    python=$(scripts/guest/python.sh)
    expect 0 --timeout 180 -- "$python" scripts/guest/smoke.py
    cat "$folder/output"
    printf '\nThe guest works.\n'
}

# Runs a guest that has to end with the code $1; the rest of the arguments are guest.sh's.
expect() {
    local status=0
    BLEOTA_TEST="a b" scripts/guest.sh "${@:2}" >"$folder/output" 2>"$folder/errors" || status=$?
    if [[ $status -ne $1 ]]; then
        cat "$folder/output" "$folder/errors" >&2
        fail "a guest should have ended with $1 and ended with $status: ${*:2}"
    fi
    printf 'ok: ended with %s\n' "$status"
}

# Arguments: what is checked, the command.
check() {
    "${@:2}" || fail "this is not so: $1"
    printf 'ok: %s\n' "$1"
}

inside() {
    local before
    check "controllers, for bluetoothctl" test "$(bluetoothctl list | wc -l)" -eq 2
    # It stops at the end of its input, before it has its answer.
    before=$(btmgmt info < <(sleep 3) | grep -c 'addr 00:AA:01:0[01]:00:0[01] ')
    check "controllers, for the kernel" test "$before" -eq 2
    check "powered, can be peripheral" test "$(bluetoothctl show 00:AA:01:01:00:01 | grep -c 'Powered: yes\|Roles: peripheral')" -eq 2

    check "adapter off" guest-adapter hci1 off
    check "it is" test "$(powered)" == no
    check "adapter on" guest-adapter hci1 on
    check "it is" test "$(powered)" == yes

    before=$(guest-bluetoothd rss)
    check "bluetoothd's memory, $before kB" test "$before" -gt 1000
    before=$(pgrep -x bluetoothd)
    check "restart" guest-bluetoothd restart
    check "another process" test "$(pgrep -x bluetoothd)" -ne "$before"
    check "adapters on" test "$(powered)" == yes
    check "stop" guest-bluetoothd stop
    check "no process" test -z "$(pgrep -x bluetoothd)"
    check "start" guest-bluetoothd start
    check "adapters on" test "$(powered)" == yes
    check "kill" guest-bluetoothd kill
    check "start" guest-bluetoothd start

    check "stall" guest-radio stall
    check "stopped" test "$(ps -o stat= -p "$(pgrep -x btvirt)" | cut -c 1)" == T
    check "resume" guest-radio resume
    check "goes on" test "$(ps -o stat= -p "$(pgrep -x btvirt)" | cut -c 1)" != T
    check "radio away" guest-radio stop
    check "no adapter" test -z "$(bluetoothctl list)"
    check "radio back" guest-radio start
    check "the same addresses" test "$(addresses)" == "00:AA:01:00:00:00 00:AA:01:01:00:01"
    check "adapters on" test "$(powered)" == yes
}

# Prints those of hci0 and hci1, in this order.
addresses() {
    local adapter
    for adapter in hci0 hci1; do
        dbus-send --system --print-reply=literal --dest=org.bluez "/org/bluez/$adapter" \
            org.freedesktop.DBus.Properties.Get string:org.bluez.Adapter1 string:Address
    done | grep -o '[0-9A-F:]\{17\}' | paste -sd ' ' -
}

# Prints whether hci1 is, `yes` or `no`.
powered() {
    bluetoothctl show 00:AA:01:01:00:01 | awk '$1 == "Powered:" { print $2 }'
}

if [[ ${1:-} == inside ]]; then inside; else main; fi
