# shellcheck shell=bash
# Sourced inside the guest, by its first process and by the helpers in bin: starts and stops bus, controllers
# and bluetoothd. Every function waits until what it did is done, or returns 1 after `patience` seconds.
# On a busy machine the guest takes most of a minute for some of it.
services=${BLEOTA_SERVICES:-/run/guest}
patience=120
mkdir -p "$services"

# Runs the command in the arguments until it succeeds.
await() {
    local deadline=$((SECONDS + patience))
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || return 1
        sleep 0.05
    done
}

start_bus() {
    # The host need not have a bus, nor its user.
    grep -q '^messagebus:' /etc/passwd || echo 'messagebus:x:990:990::/nonexistent:/bin/false' >>/etc/passwd
    grep -q '^messagebus:' /etc/group || echo 'messagebus:x:990:' >>/etc/group
    mkdir -p /run/dbus
    [[ -s /etc/machine-id ]] || dbus-uuidgen --ensure=/etc/machine-id
    dbus-daemon --system --fork --nopidfile >>/guest/dbus.log 2>&1
}

# Sets SECTION.KEY=VALUE in bluetoothd's settings; a restart makes it count.
set_main_conf() {
    local file=/etc/bluetooth/main.conf section=${1%%.*} line=${1#*.}
    grep -qxF "[$section]" "$file" || printf '\n[%s]\n' "$section" >>"$file"
    # By the environment: awk would read backslashes in a value given by -v.
    local key=${line%%=*}
    line=$line awk -v section="[$section]" -v key="$key" '
        /^\[/ { inside = $0 == section }
        inside && $0 ~ "^" key "[ \t]*=" { next }
        { print }
        inside && /^\[/ { print ENVIRON["line"] }
    ' "$file" >"$services/main.conf"
    cat "$services/main.conf" >"$file"
}

# Where `radio-settings` says an interval and a number of packets, with connection events; where it says
# `air`, with controllers that the kernel shares the air with another stack's in.
launch_radio() {
    local count
    count=$(<"$services/controllers")
    if [[ -e $services/radio-settings && $(<"$services/radio-settings") == air ]]; then
        launch btvirt "${BLEOTA_PYTHON:-python3}" scripts/guest/air.py "$count" "$services/air"
    elif [[ -e $services/radio-settings ]]; then
        rm -f /tmp/bt-server-*
        launch btvirt /usr/bin/btvirt -s
        local interval packets
        IFS=, read -r interval packets <"$services/radio-settings"
        launch radio scripts/guest/radio.py "$count" "$interval" "$packets"
    else
        launch btvirt /usr/bin/btvirt -L "-l$count"
    fi
}

start_radio() {
    is_alive btvirt || launch_radio
    await has_controllers
}

# Prints hci0 and all others.
controllers() {
    local index
    for ((index = 0; index < $(<"$services/controllers"); index++)); do printf 'hci%d\n' "$index"; done
}

stop_radio() {
    end_process btvirt KILL
    end_process radio KILL
    await has_no_controller
}

has_controllers() {
    local controller
    for controller in $(controllers); do [[ -e /sys/class/bluetooth/$controller ]] || return; done
}

has_no_controller() {
    local controller
    for controller in $(controllers); do [[ ! -e /sys/class/bluetooth/$controller ]] || return; done
}

start_bluetoothd() {
    is_alive bluetoothd && return
    local options=(-n)
    [[ ! -e $services/debug ]] || options+=(-d)
    launch bluetoothd /usr/sbin/bluetoothd "${options[@]}"
    await owns_name || return
    local controller
    for controller in $(controllers); do
        # The radio may be off, for a test without any adapter.
        [[ ! -e /sys/class/bluetooth/$controller ]] || power "$controller" on || return
    done
}

# Ends it with the signal $1.
stop_bluetoothd() {
    end_process bluetoothd "$1"
    await owns_no_name
}

owns_name() {
    is_alive bluetoothd || return
    [[ $(call org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.bluez) == *"boolean true"* ]]
}

owns_no_name() {
    [[ $(call org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.bluez) == *"boolean false"* ]]
}

# Arguments: the controller, `on` or `off`.
power() {
    local value=true
    [[ $2 == on ]] || value=false
    await set_power "$1" "$value"
}

set_power() {
    call org.bluez "/org/bluez/$1" org.freedesktop.DBus.Properties.Set \
        string:org.bluez.Adapter1 string:Powered "variant:boolean:$2" >/dev/null
}

# Arguments: the bus name, the object's path, the method, its arguments.
call() {
    dbus-send --system --print-reply --reply-timeout=5000 --dest="$1" "${@:2}" 2>/dev/null
}

# With builtins only: starting a program takes a good part of a second in the guest.
is_alive() {
    local id state
    [[ -e $services/$1 ]] && id=$(<"$services/$1") && [[ -e /proc/$id/status ]] &&
        state=$(</proc/"$id"/status) 2>/dev/null && [[ $state != *"State:"$'\t'"Z"* ]]
}

# Starts a program in a session of its own, with its output to a log. Arguments: its name, its command line.
launch() {
    setsid "${@:2}" </dev/null >>"/guest/$1.log" 2>&1 &
    echo $! >"$services/$1"
}

# Arguments: the program, the signal.
end_process() {
    if is_alive "$1"; then
        kill "-$2" "$(<"$services/$1")"
        await is_gone "$1"
    fi
    rm -f "$services/$1"
}

is_gone() {
    ! is_alive "$1"
}

# Ends a helper with one sentence on standard error.
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}
