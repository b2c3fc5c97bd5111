#!/usr/bin/env bash
# In a guest with a fresh Debian: installs the packages and lives with them as a maker of a device does.
#
#     install.sh PACKAGES OLD-PACKAGES PHASE…
#
#     install   installs the old packages, gives the receiver a key, and pushes to it
#     upgrade   installs the packages over the old ones, and pushes again
#     unit      pushes ten times, and kills the receiver at another point of each push
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
    journalctl --boot --no-pager --unit bleota-receiver | tail -n 30 >&2
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
    apt_installs "$old_packages"
    check "the tool runs" test "$(bleota --version)" == "$(cat "$results/version")"
    check "the manual is there" test -e /usr/share/man/man1/bleota.1.gz
    without_key
    configure
    starts
    push first.bleota
    check "the image is installed" cmp /var/lib/bleota/slot/image "$results/first.bin"
    check "the receiver has its own user" test "$(stat -c %U /var/lib/bleota)" == bleota
    check "others can't read its state" test "$(stat -c %a /var/lib/bleota)" == 700
    refuses_unsigned
    systemd-analyze security --no-pager --threshold=15 bleota-receiver >"$results/security" ||
        { cat "$results/security"; fail "the unit is exposed more than 1.5"; }
    tail -n 1 "$results/security"
}

apt_installs() {
    apt-get install --yes "$1"/bleota_*.deb "$1"/bleota-receiver_*.deb >"$results/apt.log" 2>&1 ||
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

state() {
    systemctl show --property "$1" --value bleota-receiver
}

journal() {
    journalctl --boot --no-pager --output cat --unit bleota-receiver
}

configure() {
    cp "$results/release.pem.pub" /etc/bleota/trusted/
    sed -i 's|^OPTIONS=.*|OPTIONS="--adapter hci1 --name gate --hardware acme/gate"|
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
    apt_installs "$packages"
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

remove() {
    apt-get remove --yes bleota bleota-receiver >"$results/apt.log" 2>&1 || { cat "$results/apt.log"; fail "apt-get remove failed"; }
    check "no process is left" test -z "$(grep -lx bleota /proc/[0-9]*/comm)"
    check "the state is kept" test -e "$store/current/image"
    check "the configuration is kept" test -e /etc/bleota/trusted/release.pem.pub
    apt-get purge --yes bleota bleota-receiver >"$results/apt.log" 2>&1 || { cat "$results/apt.log"; fail "apt-get purge failed"; }
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
