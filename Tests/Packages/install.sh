#!/usr/bin/env bash
# In a guest with a fresh Debian: installs the packages and lives with them as a maker of a device does.
#
#     install.sh PACKAGES OLD-PACKAGES PHASE…
#
#     install   installs the old packages, gives the receiver a key, and pushes to it
#     upgrade   installs the packages over the old ones, and pushes again
#     unit      pushes ten times, and kills the receiver at another point of each push
#     fleet     installs the package for fleets over its old one, and updates the receiver by a campaign
#     remove    removes and purges the packages: nothing is left
#
# The key, the image and the bundles are those of /run/results (run.sh).
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
# On a busy machine the guest's systemd takes longer than half a minute for some answers.
export SYSTEMD_BUS_TIMEOUT=300s
packages=$1
old_packages=$2
results=/run/results
# What a record of the files is compared with after the purge, from one start of the guest to the next.
record=/var/lib/guest-record
store=/var/lib/bleota/store
# A server of NATS without any library, and where it and the operator have their files.
nats_server=$PWD/Fleet/.build-venv/bin/nats-server
fleet=/run/fleet
# As long as that of guests: a busy machine needs most of a minute for some of it.
patience=120

main() {
    local phase
    shift 2
    for phase in "$@"; do
        printf '\n== %s\n' "$phase"
        "$phase"
    done
}

fail() {
    printf 'install.sh: %s\n' "$*" >&2
    journalctl --boot --no-pager --unit bluetooth --unit bleota-receiver --unit 'bleota-fleet-*' | tail -n 60 >&2
    exit 1
}

# Arguments: what is checked, the command.
check() {
    "${@:2}" || fail "this is not so: $1"
    printf 'ok: %s\n' "$1"
}

await() {
    local deadline=$((SECONDS + patience)) what=$1
    shift
    until "$@"; do
        [[ $SECONDS -lt $deadline ]] || fail "this did not become so: $what"
        sleep 0.2
    done
    printf 'ok: %s\n' "$what"
}

install() {
    mkdir "$record"
    list_system
    mv "$record/now" "$record/before"
    apt_installs "$old_packages" bleota bleota-receiver
    check "the tool runs" test "$(bleota --version)" == "$(cat "$results/version")"
    check "the manual is there" test -e /usr/share/man/man1/bleota.1.gz
    without_key
    with_unreadable_key
    configure
    starts
    push first.bleota
    check "the image is installed" cmp /var/lib/bleota/slot/image "$results/first.bin"
    check "the receiver has its own user" test "$(stat -c %U /var/lib/bleota)" == bleota
    check "others can't read its state" test "$(stat -c %a /var/lib/bleota)" == 700
    refuses_unsigned
    says_what_it_allows
    systemd-analyze security --no-pager --threshold=15 bleota-receiver >"$results/security" ||
        { cat "$results/security"; fail "the unit is exposed more than 1.5"; }
    tail -n 1 "$results/security"
}

# Arguments: a folder of packages, their names.
apt_installs() {
    local files=() name
    for name in "${@:2}"; do files+=("$1/${name}"_*.deb); done
    apt-get install --yes "${files[@]}" >"$results/apt.log" 2>&1 ||
        { cat "$results/apt.log"; fail "apt-get could not install the packages"; }
    ! grep -iE '^(W|E):|warning|error|failed' "$results/apt.log" || fail "apt-get complains; see above"
}

# Nobody has said whose images the device takes.
without_key() {
    check "without a key it does not run" test "$(state ActiveState)" == inactive
    check "that is no failure" test "$(systemctl is-failed bleota-receiver)" != failed
    check "it does not try again" test "$(state NRestarts)" == 0
    check "it says so in one sentence" test "$(journal | grep -c 'The receiver does not run, because no key is in')" == 1
}

# A key that root has copied for itself alone.
with_unreadable_key() {
    cp "$results/release.pem.pub" /etc/bleota/trusted/release.pem.pub
    chmod 600 /etc/bleota/trusted/release.pem.pub
    systemctl restart bleota-receiver || true
    check "with a key that it can't read it does not run" test "$(state ActiveState)" == inactive
    check "it says which" test "$(journal | grep -c "can't read /etc/bleota/trusted/release.pem.pub")" == 1
    rm /etc/bleota/trusted/release.pem.pub
}

# What the service trusts is in its folder of keys, and not in the options.
says_what_it_allows() {
    setpriv --reuid=bleota --regid=bleota --init-groups /usr/lib/bleota/start-receiver --security \
        >"$results/allows" || fail "$(cat "$results/allows")"
    check "it says what the receiver allows" grep -q "required, by the trusted key" "$results/allows"
    check "it has the options of the service" grep -q "acme/gate" "$results/allows"
}

# Arguments: the property, the unit if it isn't the receiver's.
state() {
    systemctl show --property "$1" --value "${2:-bleota-receiver}"
}

# Argument: the unit if it isn't the receiver's.
journal() {
    journalctl --boot --no-pager --output cat --unit "${1:-bleota-receiver}"
}

configure() {
    cp "$results/release.pem.pub" /etc/bleota/trusted/
    sed -i 's|^OPTIONS=.*|OPTIONS="--adapter hci1 --name gate --hardware acme/gate --firmware-version 1.0.0"|
        s|^INSTALL=.*|INSTALL="install -D --mode 600 --target-directory slot"|' /etc/bleota/receiver.conf
}

starts() {
    systemctl restart bleota-receiver
    await "it advertises" advertises
}

# Since the receiver that runs now was started.
advertises() {
    [[ $(state ActiveState) == active ]] &&
        journalctl --boot --no-pager --output cat "_PID=$(state MainPID)" | grep -q '^advertising'
}

# Arguments: the bundle, more options.
push() {
    bleota push "$results/$1" --adapter hci0 --device gate --timeout 120 --wait-confirmed --json "${@:2}" \
        >"$results/push.log" || { cat "$results/push.log"; fail "the push of $1 ended with $?"; }
    check "$1 is verified and runs" grep -q '"state":"confirmed"' "$results/push.log"
}

refuses_unsigned() {
    local status=0
    bleota push "$results/first.bin" --adapter hci0 --device gate >"$results/push.log" 2>&1 || status=$?
    check "an image that nobody signed is refused" test "$status" -eq 65
}

upgrade() {
    local process
    process=$(state MainPID)
    apt_installs "$packages" bleota bleota-receiver
    check "the new package is there" test "$(dpkg-query -W -f '${Version}' bleota-receiver)" != \
        "$(dpkg-deb --field "$old_packages"/bleota-receiver_*.deb Version)"
    check "the configuration is kept" grep -q '^OPTIONS="--adapter hci1' /etc/bleota/receiver.conf
    await "it advertises again" advertises
    check "it is another process" test "$(state MainPID)" != "$process"
    push second.bleota
    check "the image is installed" cmp /var/lib/bleota/slot/image "$results/second.bin"
}

# The device has started with its receiver.
unit() {
    await "it advertises" advertises
    local count
    for count in {1..10}; do killed "$count"; done
    check "it was started again each time" test "$(state NRestarts)" == 10
}

# Argument: of eleven parts of the image, how many have arrived when the receiver is killed.
killed() {
    local name=kill-$1 line is_killed=false
    # Slow enough to be met at each point: the sender tells its progress once a second.
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$results/push.log"
        if ! $is_killed && [[ $line =~ '"event":"progress","bytes":'([0-9]+),\"total\":([0-9]+) ]] &&
            ((BASH_REMATCH[1] * 11 >= BASH_REMATCH[2] * $1)); then
            systemctl kill --signal KILL bleota-receiver
            is_killed=true
            printf 'killed at byte %d of %d\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
        fi
    done < <(
        : >"$results/push.log"
        bleota push "$results/$name.bleota" --adapter hci0 --device gate --timeout 120 --burst 2:100 \
            --wait-confirmed --json 2>&1
        printf 'ended with %d\n' $?
    )
    $is_killed || { cat "$results/push.log"; fail "$name was never at the point to be killed at"; }
    grep -qx 'ended with 0' "$results/push.log" || { cat "$results/push.log"; fail "$name failed"; }
    check "$name is verified and runs" grep -q '"state":"confirmed"' "$results/push.log"
    check "$name is installed" cmp /var/lib/bleota/slot/image "$results/$name.bin"
}

# Where the guest has no library for NATS of this release (scripts/guest/system.sh), its release isn't that of the package.
fleet() {
    local library role
    library=$(dpkg-deb --field "$packages"/bleota-fleet_*.deb Depends | grep -oE 'libnats[0-9.]+')
    if ! dpkg-query -W "$library" >/dev/null 2>&1; then
        printf 'left out: the package for fleets needs %s, which this release of Debian does not have\n' "$library"
        return
    fi
    apt_installs "$old_packages" bleota-fleet
    check "the manual of bleota-fleet is there" test -e /usr/share/man/man1/bleota-fleet.1.gz
    for role in gateway controller console; do without_server "$role"; done
    start_fleet_server
    configure_fleet
    systemctl enable --now bleota-fleet-{controller,gateway,console} 2>/dev/null
    await "the controller is active" says controller 'this controller, .*, is active'
    await "the console is there" says console 'the console is at'
    upgrade_fleet
    campaign
    check "others can't read the images of the gateway" test "$(stat -c '%a %U' /var/cache/bleota-fleet)" == "700 bleota-fleet"
    check "others can't read the console's token" test "$(stat -c '%a %U' /var/lib/bleota-fleet/console.token)" == "600 bleota-fleet"
    check "the console shows the devices" shows '"device":"[0-9A-F]{12}".*"version":"2.0.0"'
    for role in gateway controller console; do end_role "$role"; done
    systemctl stop fleet-server
    rm -r "$fleet"
}

# Argument: a role, whose unit nobody has configured.
without_server() {
    local unit=bleota-fleet-$1
    check "the $1 is not enabled" test "$(systemctl is-enabled "$unit")" == disabled
    systemctl start "$unit"
    check "without a server it does not run" test "$(state ActiveState "$unit")" == inactive
    check "that is no failure" test "$(systemctl is-failed "$unit")" != failed
    check "it says so in one sentence" test "$(journal "$unit" | grep -c "The $1 does not run, because")" == 1
}

# As docs/fleet.md does, with one server.
start_fleet_server() {
    mkdir "$fleet"
    bleota-fleet init configuration "$fleet/keys" --plain --store "$fleet/store" --servers 127.0.0.1:4222 --gateways hall
    # The fleet reserves more of a disk than it uses here.
    sed -i 's/max_memory_store: 64MB/&, max_file_store: 16GB/' "$fleet/keys/server/fleet-1.conf"
    systemd-run --quiet --unit fleet-server "$nats_server" --config "$fleet/keys/server/fleet-1.conf"
    export BLEOTA_FLEET_SERVER=127.0.0.1 BLEOTA_FLEET_SEED=$fleet/keys/seeds/operator.seed
    await "the server makes a store" bleota-fleet init
}

configure_fleet() {
    local role
    sed -i 's|^BLEOTA_FLEET_SERVER=.*|BLEOTA_FLEET_SERVER="127.0.0.1:4222"|' /etc/bleota-fleet/fleet.conf
    sed -i 's|^OPTIONS=.*|OPTIONS="--name hall --adapter hci0 --hardware gate=acme/gate"|' /etc/bleota-fleet/gateway.conf
    cp "$fleet/keys/seeds/gateway-hall.seed" "$fleet/keys/seeds/gateway.seed"
    for role in gateway controller console; do
        command install --mode 600 "$fleet/keys/seeds/$role.seed" /etc/bleota-fleet/
    done
}

upgrade_fleet() {
    local role
    local -A process
    for role in gateway controller console; do process[$role]=$(state MainPID "bleota-fleet-$role"); done
    apt_installs "$packages" bleota-fleet
    check "the new package is there" test "$(dpkg-query -W -f '${Version}' bleota-fleet)" == \
        "$(dpkg-deb --field "$packages"/bleota-fleet_*.deb Version)"
    check "the configuration is kept" grep -q '^OPTIONS="--name hall' /etc/bleota-fleet/gateway.conf
    for role in gateway controller console; do
        check "the $role runs" test "$(state ActiveState "bleota-fleet-$role")" == active
        check "it is another process" test "$(state MainPID "bleota-fleet-$role")" != "${process[$role]}"
    done
}

campaign() {
    await "the gateway is known" lists gateways '^hall '
    await "it hears the receiver" lists devices 'acme/gate +1\.0\.0 '
    head -c 60000 /dev/urandom >"$fleet/lamp.bin"
    bleota sign "$fleet/lamp.bin" --key "$results/release.pem" --hardware acme/gate --version 2.0.0 --output "$fleet/lamp.bleota"
    bleota-fleet campaign create spring --image "$fleet/lamp.bleota" --stages 100
    bleota-fleet campaign start spring
    check "the campaign finishes" timeout 600 bleota-fleet campaign watch spring
    check "its image is installed" cmp /var/lib/bleota/slot/image "$fleet/lamp.bin"
}

end_role() {
    local unit=bleota-fleet-$1
    systemd-analyze security --no-pager --threshold=15 "$unit" >"$results/security" ||
        { cat "$results/security"; fail "the unit of the $1 is exposed more than 1.5"; }
    tail -n 1 "$results/security"
    check "the runtime complains of nothing" test -z "$(journal "$unit" | grep 'Failed to set')"
    systemctl stop "$unit"
    check "the $1 ends as it should" test "$(state Result "$unit")" == success
}

# Arguments: a role, what it says.
says() {
    journal "bleota-fleet-$1" | grep -q "$2"
}

# Arguments: a command of bleota-fleet, a line that it prints.
lists() {
    bleota-fleet "$1" | grep -qE "$2"
}

# Argument: what the console shows of the devices to those who have its token.
shows() {
    local connection
    exec {connection}<>/dev/tcp/127.0.0.1/8080
    printf 'GET /api/devices HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n' \
        "$(cat /var/lib/bleota-fleet/console.token)" >&"$connection"
    grep -qE "$1" <&"$connection"
    exec {connection}>&-
}

remove() {
    local names
    mapfile -t names < <(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 'bleota*' | sed -n 's/^ii *//p')
    apt-get remove --yes "${names[@]}" >"$results/apt.log" 2>&1 || { cat "$results/apt.log"; fail "apt-get remove failed"; }
    check "no process is left" test -z "$(grep -lE "^bleota" /proc/[0-9]*/comm)"
    check "the state is kept" test -e "$store/current/image"
    check "the configuration is kept" test -e /etc/bleota/trusted/release.pem.pub
    apt-get purge --yes "${names[@]}" >"$results/apt.log" 2>&1 || { cat "$results/apt.log"; fail "apt-get purge failed"; }
    systemctl daemon-reload
    list_system
    diff "$record/before" "$record/now" || fail "something is left after the purge; see above"
    check "nothing is left" true
}

# Files with their types, modes and owners, and lengths where Debian and not a program keeps them; users, groups
# and packages. Logs, caches and the memory of other programs may change.
list_system() {
    local left_out=(
        /dev /proc /run /sys /tmp /var/tmp /var/log /var/cache /var/lib/apt /var/lib/bluetooth /var/lib/systemd "$record"
        # The account before the last change, and the lock of such changes.
        '/etc/*-' /etc/.pwd.lock
        '/var/lib/dpkg/*-old' '/var/lib/dpkg/lock*' /var/lib/dpkg/triggers/Lock /root/.cache
    )
    local path prune=()
    for path in "${left_out[@]}"; do prune+=(-path "$path" -prune -o); done
    {
        find / -xdev "${prune[@]}" -path '/var/*' -printf '%p %y %m %u %g\n' -o -type d -printf '%p %y %m %u %g\n' -o \
            -printf '%p %y %m %u %g %s\n' | sort
        getent passwd
        getent group
        systemctl list-units --all --no-legend --no-pager 'bleota*'
        dpkg-query -W -f '${Package} ${Version} ${Status}\n'
    } >"$record/now"
}

main "$@"
