#!/usr/bin/env bash
# Runs a command in a guest that has Debian's bluetoothd and two emulated Bluetooth LE controllers:
#
#     scripts/guest.sh [OPTION…] -- COMMAND [ARGUMENT…]
#
#     --main-conf SECTION.KEY=VALUE   sets a line of /etc/bluetooth/main.conf; may be repeated
#     --timeout SECONDS               ends the guest after that time, start included (600)
#     --results FOLDER                is /results in the guest, writable, and gets the guest's logs
#     --controllers N                 so many emulated controllers, hci0 and following; 2 by default
#     --radio INTERVAL_MS,PACKETS     a radio with connection events, that often, each with so many packets of
#                                     251 bytes either way; without it one as fast as the processor
#     --debug                         starts bluetoothd with -d; its log is then worth reading
#     --without-bluetooth             no controllers, no bluetoothd, no Bluetooth in the kernel; a bus only
#
# The command sees this machine's files at their usual paths, may change all and changes none: what it writes
# outside /results is gone with the guest. It runs as root in the repository's folder, with the variables
# BLEOTA_*, CI, HOME, PATH and TERM of the caller, and with the helpers of scripts/guest/bin in PATH. What it
# prints, on both streams, is printed here as it comes.
#
# The exit code is the command's; 70 where the guest did not get as far or ran out of time, 77 where no guest
# can run.
caller=$PWD
source "$(dirname "$0")/guest/common.sh"

timeout=600
results=
bluetooth=true
debug=false
controllers=2
radio=
settings=()
usage="scripts/guest.sh [--main-conf SECTION.KEY=VALUE]… [--timeout SECONDS] [--results FOLDER] \
[--controllers N] [--radio INTERVAL_MS,PACKETS] [--debug] [--without-bluetooth] -- COMMAND [ARGUMENT…]"

main() {
    while [[ $# -gt 0 && $1 != -- ]]; do
        case $1 in
        --main-conf | --timeout | --results | --controllers | --radio)
            [[ $# -ge 2 ]] || fail "$1 needs a value: $usage"
            take "$1" "$2"
            shift
            ;;
        --debug) debug=true ;;
        --without-bluetooth) bluetooth=false ;;
        *) fail "no such option: $1: $usage" ;;
        esac
        shift
    done
    [[ $# -ge 2 ]] || fail "name a command after --: $usage"
    shift

    if ! is_built || ! command -v "$emulator" >/dev/null; then scripts/guest/build.sh >&2; fi
    # A build waits until no guest has the folder's files in use.
    exec {in_use}>"$guest/in-use"
    flock --shared "$in_use"
    is_built || fail "the guest was being made anew: run this again"

    run=$(mktemp -d)
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    write_start "$@" >"$run/start"
    printf '%s\n' "${settings[@]}" >"$run/main-conf"
    start_guest
    report
}

take() {
    case $1 in
    --timeout)
        [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || fail "--timeout needs a number of seconds, not: $2"
        timeout=$2
        ;;
    --controllers)
        [[ $2 == [2-4] ]] || fail "--controllers takes 2 to 4, not $2"
        controllers=$2
        ;;
    --radio)
        [[ $2 =~ ^[1-9][0-9]{0,3}(\.[0-9]+)?,[1-9][0-9]?$ ]] ||
            fail "--radio needs milliseconds and a number of packets, for example 15,6, not: $2"
        radio=$2
        ;;
    --results)
        mkdir -p "$(absolute "$2")"
        results=$(absolute "$2")
        ;;
    --main-conf)
        [[ $2 =~ ^[A-Za-z0-9]+\.[A-Za-z0-9]+=[^[:cntrl:]]*$ ]] ||
            fail "--main-conf needs SECTION.KEY=VALUE, for example GATT.Channels=1, not: $2"
        settings+=("$2")
        ;;
    esac
}

absolute() {
    [[ $1 == /* ]] || printf '%s/' "$caller"
    printf '%s' "$1"
}

# The script that the guest's first process becomes.
write_start() {
    local name
    for name in CI HOME PATH TERM ${!BLEOTA_*}; do
        [[ -z ${!name+set} ]] || printf 'export %s=%q\n' "$name" "${!name}"
    done
    printf 'export LC_ALL=C.UTF-8\n'
    printf 'guest_timeout=%q\n' "$timeout"
    printf 'guest_bluetooth=%q\n' "$bluetooth"
    printf 'guest_debug=%q\n' "$debug"
    printf 'guest_controllers=%q\n' "$controllers"
    printf 'guest_radio=%q\n' "$radio"
    printf 'cd %q\n' "$root"
    printf 'set --'
    printf ' %q' "$@"
    printf '\nsource scripts/guest/first.sh\n'
}

start_guest() {
    local accelerator=${BLEOTA_GUEST_ACCELERATOR:-} options append=$kernel_options
    [[ -n $accelerator ]] || accelerator=$(<"$guest/accelerator")
    mapfile -t options < <(emulator_options "$accelerator")
    share host / readonly=on
    share packages "$guest/root" readonly=on
    share run "$run" readonly=off
    if [[ -n $results ]]; then
        share results "$results" readonly=off
        append+=" guest.results"
    fi
    if $bluetooth; then append+=" guest.bluetooth"; fi
    # The kernel's messages go to a file, what the command prints through a port of its own: a serial
    # console is slow and would mix them.
    mkfifo "$run/output"
    options+=(
        -append "$append"
        -chardev "file,id=console,path=${run//,/,,}/console.log" -serial chardev:console
        -chardev "file,id=output,path=${run//,/,,}/output"
        -device virtio-serial-pci -device "virtserialport,chardev=output,name=output"
    )

    cat "$run/output" &
    printer=$!
    (
        ulimit -c 0
        exec "$emulator" "${options[@]}" </dev/null >"$run/emulator.log" 2>&1
    ) &
    emulator_id=$!
    sleep "$timeout" &
    timer=$!
    wait -n "$emulator_id" "$timer" || true
    if ! kill "$timer" 2>/dev/null; then timed_out=true; fi
    timer=
    stop emulator_id
    # It ends with the emulator, which has the other end; at once where that never opened it.
    if [[ -s $run/console.log ]]; then wait "$printer" || true; fi
    stop printer
}

# Appends to `options` the sharing of a folder. Arguments: its name in the guest, its path, the access.
share() {
    options+=(-virtfs "local,path=${2//,/,,},mount_tag=$1,security_model=none,multidevs=remap,$3")
}

# Ends the process whose id is in the variable named $1.
stop() {
    [[ -n ${!1} ]] || return 0
    kill -KILL "${!1}" 2>/dev/null || true
    wait "${!1}" 2>/dev/null || true
    printf -v "$1" ''
}

report() {
    if [[ -n $results ]]; then
        mkdir -p "$results/guest-logs"
        cp "$run"/*.log "$results/guest-logs/"
    fi
    local status problem
    if status=$(cat "$run/status" 2>/dev/null) && [[ -n $status ]]; then exit "$status"; fi
    if [[ -s $run/problem ]]; then
        problem="the guest has a problem: $(<"$run/problem")"
    elif grep -q 'Kernel panic' "$run/console.log" 2>/dev/null; then
        problem="the guest's kernel panicked while $(stage)"
    elif ${timed_out:-false}; then
        problem="the guest ran out of its $timeout s while $(stage)"
    else
        problem="the guest stopped while $(stage)"
    fi
    printf '%s: %s\n' "${0##*/}" "$problem" >&2
    local log
    for log in emulator console bluetoothd btvirt; do
        if [[ -s $run/$log.log ]]; then
            printf '%s\n' "--- the last lines of $log.log:" >&2
            tail -n 30 "$run/$log.log" | tr -d '\r' >&2
        fi
    done
    exit 70
}

stage() {
    cat "$run/stage" 2>/dev/null || printf 'starting its kernel'
}

emulator_id=
timer=
printer=
# shellcheck disable=SC2317  # called by the trap
clean_up() {
    stop emulator_id
    stop timer
    stop printer
    rm -rf "$run"
}

main "$@"
