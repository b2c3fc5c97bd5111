# shellcheck shell=bash
# Continues the guest's first process, once the root is laid: starts bus, controllers and bluetoothd, runs the
# command that is in the arguments, and ends the guest. Sourced by what guest.sh wrote, with its variables
# guest_timeout, guest_bluetooth, guest_debug, guest_controllers and guest_radio.
# shellcheck disable=SC2154
source scripts/guest/services.sh

# Nobody waits for a guest longer than guest.sh does, which may have been killed.
(
    sleep $((guest_timeout + 5))
    echo b >/proc/sysrq-trigger
) &

# Ends the guest, without the way through a shutdown. `sync` is for what the command left in /results.
end_guest() {
    sync
    echo b >/proc/sysrq-trigger
    sleep 10
}

give_up() {
    printf '%s\n' "$*" >/guest/problem
    end_guest
}

stage() {
    printf '%s\n' "$*" >/guest/stage
}

# This is process 1: whatever ends it would be a panic of the kernel.
trap 'give_up "its script failed while $(cat /guest/stage)"' EXIT
set -uo pipefail

echo "$guest_controllers" >"$services/controllers"
[[ -z $guest_radio ]] || echo "$guest_radio" >"$services/radio-settings"
if $guest_bluetooth; then
    # Gets its controllers ready while the bus starts.
    launch_radio
fi
stage "starting the bus"
start_bus || give_up "dbus-daemon does not start"
if $guest_bluetooth; then
    if $guest_debug; then touch "$services/debug"; fi
    while IFS= read -r setting; do
        [[ -z $setting ]] || set_main_conf "$setting"
    done </guest/main-conf
    stage "starting the controllers"
    start_radio || give_up "btvirt has no controllers ready after $patience s"
    stage "starting bluetoothd"
    start_bluetoothd || give_up "bluetoothd has no adapters ready after $patience s"
fi

stage "running the command"
read -r uptime _ </proc/uptime
printf '%s\n' "$uptime" >/guest/ready.log

# Through a pipe: a command may open its own output again, the port only opens once.
mkfifo "$services/output"
ports=(/dev/vport*p*)
cat "$services/output" >"${ports[0]}" &
printer=$!
PATH=$PWD/scripts/guest/bin:$PATH:/usr/local/sbin:/usr/sbin:/sbin \
    setsid --wait "$@" </dev/null >"$services/output" 2>&1
status=$?

# By itself: who ends it through the helpers takes it off the list.
for program in bluetoothd btvirt; do
    if [[ -e $services/$program ]] && is_gone "$program"; then
        printf '%s died' "$program" >/guest/died
        break
    fi
done
stage "ending"
# What the command started and left running may keep the pipe open.
for _ in {1..20}; do
    kill -0 "$printer" 2>/dev/null || break
    sleep 0.1
done
printf '%s\n' "$status" >/guest/status
end_guest
