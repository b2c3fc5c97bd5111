#!/usr/bin/env bash
# Runs a command in a guest that has Debian's bluetoothd and two emulated Bluetooth LE controllers:
#
#     scripts/guest.sh [OPTION…] -- COMMAND [ARGUMENT…]
#
#     --release NAME                  takes the guest of this release of Debian, such as trixie; this machine's
#                                     own by default, or what BLEOTA_GUEST_RELEASE says
#     --main-conf SECTION.KEY=VALUE   sets a line of /etc/bluetooth/main.conf; may be repeated
#     --timeout SECONDS               ends the guest after that time, start included (600)
#     --results FOLDER                is /results in the guest, writable, and gets the guest's logs
#     --controllers N                 so many emulated controllers, hci0 and following; 2 by default
#     --radio INTERVAL_MS,PACKETS     a radio with connection events, that often, each with so many packets of
#                                     251 bytes either way; without it one as fast as the processor
#     --radio air                     controllers of Bumble, and one more of them for another stack, at
#                                     /run/guest/air; needs BLEOTA_PYTHON (scripts/guest/python.sh)
#     --again                         where the command failed and the guest's kernel oopsed or its bluetoothd
#                                     died meanwhile, starts the guest again, once, and says so
#     --debug                         starts bluetoothd with -d; its log is then worth reading
#     --without-bluetooth             no controllers, no bluetoothd, no Bluetooth in the kernel; a bus only
#     --system                        a fresh Debian of the release, started by systemd, in place of this machine's
#                                     files; the command sees those at /run/host, and results are in /run/results
#     --disk FILE                     the same, with its disk in FILE, which keeps what changes; a new one is fresh
#
# The command sees this machine's files at their usual paths, may change all and changes none: what it writes
# outside /results is gone with the guest. It runs as root in the repository's folder, with the variables
# BLEOTA_*, CI, HOME, PATH and TERM of the caller, and with the helpers of scripts/guest/bin in PATH. What it
# prints, on both streams, is printed here as it comes.
#
# The exit code is the command's; 70 where the guest did not get as far or ran out of time, 71 where the
# command failed in a guest whose kernel oopsed or whose bluetoothd died, 77 where no guest can run.
caller=$PWD
source "$(dirname "$0")/guest/common.sh"

timeout=600
results=
bluetooth=true
debug=false
again=false
controllers=2
radio=
system=false
disk=
settings=()
usage="scripts/guest.sh [--release NAME] [--main-conf SECTION.KEY=VALUE]… [--timeout SECONDS] [--results FOLDER] \
[--controllers N] [--radio INTERVAL_MS,PACKETS] [--again] [--debug] [--without-bluetooth] [--system] [--disk FILE] \
-- COMMAND [ARGUMENT…]"

main() {
    while [[ $# -gt 0 && $1 != -- ]]; do
        case $1 in
        --release | --main-conf | --timeout | --results | --controllers | --radio | --disk)
            [[ $# -ge 2 ]] || fail "$1 needs a value: $usage"
            take "$1" "$2"
            shift
            ;;
        --again) again=true ;;
        --debug) debug=true ;;
        --without-bluetooth) bluetooth=false ;;
        --system) system=true ;;
        *) fail "no such option: $1: $usage" ;;
        esac
        shift
    done
    [[ $# -ge 2 ]] || fail "name a command after --: $usage"
    shift
    if $system && ! $bluetooth; then fail "--system has Bluetooth always: $usage"; fi

    if ! is_built || ! command -v "$emulator" >/dev/null; then scripts/guest/build.sh >&2; fi
    # A build waits until no guest has the folder's files in use.
    exec {in_use}>"$guest/in-use"
    flock --shared "$in_use"
    is_built || fail "the guest was being made anew: run this again"

    if $system; then scripts/guest/system.sh >&2; fi
    run=$(mktemp -d)
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    write_start "$@" >"$run/start"
    if $system; then
        cp scripts/guest/guest{,-radio}.service "$run/"
        write_radio >"$run/radio"
    fi
    printf '%s\n' "${settings[@]}" >"$run/main-conf"
    start_guest
    if $again && has_failed && fault >/dev/null; then
        say "$(fault); the guest is started again, once"
        show_console
        keep_logs first-guest-logs
        rm -f "$run"/{output,status,problem,stage,died} "$run"/*.log
        timed_out=false
        start_guest
    fi
    report
}

# Whether the command did not end with 0, or did not end.
has_failed() {
    [[ $(cat "$run/status" 2>/dev/null) != 0 ]]
}

# Prints what failed below the command, if something did.
fault() {
    if grep -qE 'Oops: |BUG: |general protection fault' "$run/console.log" 2>/dev/null; then
        printf "the guest's kernel oopsed"
    else
        [[ -s $run/died ]] && printf "the guest's %s under the command" "$(<"$run/died")"
    fi
}

say() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

take() {
    case $1 in
    --release)
        export BLEOTA_GUEST_RELEASE=$2
        find_guest
        ;;
    --timeout)
        [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || fail "--timeout needs a number of seconds, not: $2"
        timeout=$2
        ;;
    --controllers)
        [[ $2 == [2-4] ]] || fail "--controllers takes 2 to 4, not $2"
        controllers=$2
        ;;
    --radio)
        [[ $2 == air || $2 =~ ^[1-9][0-9]{0,3}(\.[0-9]+)?,[1-9][0-9]?$ ]] ||
            fail "--radio needs milliseconds and a number of packets, for example 15,6, or air, not: $2"
        radio=$2
        ;;
    --results)
        mkdir -p "$(absolute "$2")"
        results=$(absolute "$2")
        ;;
    --disk)
        system=true
        disk=$(absolute "$2")
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
    if $system; then
        write_system_start "$@"
        return
    fi
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

# The script that the guest's systemd runs once it has started everything else.
write_system_start() {
    local name
    for name in ${!BLEOTA_*}; do printf 'export %s=%q\n' "$name" "${!name}"; done
    printf 'export LC_ALL=C.UTF-8\n'
    printf 'guest_timeout=%q\n' "$timeout"
    printf 'guest_controllers=%q\n' "$controllers"
    printf 'cd %q\n' "/run/host$root"
    printf 'set --'
    printf ' %q' "$@"
    printf '\nsource scripts/guest/first-system.sh\n'
}

# The script with the controllers of a guest with systemd. Those of Bumble run among the files of this machine.
write_radio() {
    if [[ $radio == air ]]; then
        printf 'mount --rbind /dev /run/host/dev\nmount --rbind /proc /run/host/proc\n'
        printf 'mount -t tmpfs tmp /run/host/tmp\n'
        printf 'exec chroot /run/host %q %q %q /tmp/air\n' \
            "${BLEOTA_PYTHON:-python3}" "$root/scripts/guest/air.py" "$controllers"
    elif [[ -z $radio ]]; then
        printf 'exec /run/packages/usr/bin/btvirt -L -l%d\n' "$controllers"
    else
        fail "a guest with systemd has the radio air, or one as fast as the processor"
    fi
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
    if $system; then
        append+=" guest.system systemd.show_status=0"
        # What Debian does once a day, it would do in the middle of a test.
        local timer
        for timer in apt-daily apt-daily-upgrade dpkg-db-backup e2scrub_all fstrim; do
            append+=" systemd.mask=$timer.timer"
        done
        if [[ -z $disk ]]; then
            options+=(-drive "if=virtio,format=raw,snapshot=on,file=${system_disk//,/,,}")
        else
            [[ -e $disk ]] || cp --sparse=always "$system_disk" "$disk"
            options+=(-drive "if=virtio,format=raw,cache=unsafe,file=${disk//,/,,}")
        fi
    fi
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

# Copies the guest's logs to the folder $1 of the results, if those are wanted.
keep_logs() {
    [[ -n $results ]] || return 0
    mkdir -p "$results/$1"
    cp "$run"/*.log "$results/$1/"
}

report() {
    keep_logs guest-logs
    local status problem fault
    status=$(cat "$run/status" 2>/dev/null) || true
    if fault=$(fault); then
        say "$fault"
        show_console
        [[ $status == 0 ]] || exit 71
    fi
    [[ -z $status ]] || exit "$status"
    if [[ -s $run/problem ]]; then
        problem="the guest has a problem: $(<"$run/problem")"
    elif grep -q 'Kernel panic' "$run/console.log" 2>/dev/null; then
        problem="the guest's kernel panicked while $(stage)"
    elif ${timed_out:-false}; then
        problem="the guest ran out of its $timeout s while $(stage)"
    else
        problem="the guest stopped while $(stage)"
    fi
    say "$problem"
    local log
    for log in emulator console bluetoothd btvirt; do
        if [[ -s $run/$log.log ]]; then
            printf '%s\n' "--- the last lines of $log.log:" >&2
            tail -n 30 "$run/$log.log" | tr -d '\r' >&2
        fi
    done
    exit 70
}

# Shows what the kernel said when it oopsed.
show_console() {
    grep -E -m 1 -A 40 'Oops: |BUG: |general protection fault' "$run/console.log" | tr -d '\r' >&2 || true
}

stage() {
    cat "$run/stage" 2>/dev/null || printf 'starting its kernel'
}

emulator_id=
timer=
printer=
# shellcheck disable=SC2317,SC2329  # called by the trap
clean_up() {
    stop emulator_id
    stop timer
    stop printer
    rm -rf "$run"
}

main "$@"
