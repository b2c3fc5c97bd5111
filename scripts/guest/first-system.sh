# shellcheck shell=bash
# In a guest with Debian's own systemd, once that has started everything else: waits for the controllers, runs the
# command that is in the arguments, and ends the guest. Sourced by what guest.sh wrote, with its variables
# guest_timeout and guest_controllers.
# shellcheck disable=SC2154
patience=120

# Nobody waits for a guest longer than guest.sh does, which may have been killed.
(
    sleep $((guest_timeout + 5))
    echo b >/proc/sysrq-trigger
) &

# Ends the guest. What it wrote to its disk is complete, as after a shutdown.
end_guest() {
    sync
    echo u >/proc/sysrq-trigger
    sleep 1
    echo b >/proc/sysrq-trigger
    sleep 10
}

give_up() {
    printf '%s\n' "$*" >/run/guest/problem
    journalctl --boot --no-pager >/run/guest/journal.log
    end_guest
}

stage() {
    printf '%s\n' "$*" >/run/guest/stage
}

has_adapters() {
    local index
    for ((index = 0; index < guest_controllers; index++)); do
        [[ $(busctl get-property org.bluez "/org/bluez/hci$index" org.bluez.Adapter1 Powered 2>&1) == "b true" ]] ||
            return
    done
}

trap 'give_up "its script failed while $(cat /run/guest/stage)"' EXIT
set -uo pipefail
export HOME=/root

stage "waiting for bluetoothd"
deadline=$((SECONDS + patience))
until has_adapters; do
    [[ $SECONDS -lt $deadline ]] || give_up "bluetoothd has no adapters ready after $patience s"
    sleep 0.2
done

stage "running the command"
read -r uptime _ </proc/uptime
printf '%s\n' "$uptime" >/run/guest/ready.log
ports=(/dev/vport*p*)
mkfifo /run/guest-output
cat /run/guest-output >"${ports[0]}" &
printer=$!
setsid --wait "$@" </dev/null >/run/guest-output 2>&1
status=$?
stage "ending"
# What the command started and left running may keep the pipe open.
for _ in {1..20}; do
    kill -0 "$printer" 2>/dev/null || break
    sleep 0.1
done
journalctl --boot --no-pager >/run/guest/journal.log
printf '%s\n' "$status" >/run/guest/status
end_guest
