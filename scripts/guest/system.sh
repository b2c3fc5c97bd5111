#!/usr/bin/env bash
# Makes the disk of guests with a fresh Debian of their own (scripts/guest.sh --system): the release's smallest
# installation with systemd and the Bluetooth daemon. It is system.img in the folder of the guest's other parts.
#
# Where it is there already, nothing is done: how new its packages are makes no difference to what it is for.
source "$(dirname "$0")/common.sh"

# What it has besides the packages that each installation has. The libraries are those that bleota's packages depend on:
# the guest has no network to fetch them. Each release of Debian has another library for NATS.
packages=(systemd-sysv dbus bluez libminizip1)
case $release in
bookworm) packages+=(libnats3.4) ;;
trixie) packages+=(libnats3.10) ;;
esac
# The files are 240 MB, and tests install more.
mebibytes=1024

main() {
    mkdir -p "$guest"
    exec {lock}>"$guest/system-lock"
    flock "$lock"
    if made_from | cmp -s - "$guest/system-made-from"; then return; fi
    command -v apt-get >/dev/null || cannot "its files are Debian's packages; run this on Debian"
    scripts/packages.sh system
    require_root "$0"
    step "The disk of guests with Debian's $release, in $guest"
    rm -f "$system_disk" "$guest/system-made-from"
    partial=$(mktemp -d "$guest/system.XXXXXX")
    trap 'as_root rm -rf "$partial"' EXIT
    debian_sources >"$partial/sources"
    # Only root can make files of other users, and their names in the disk have to be those of Debian.
    quietly as_root mmdebstrap --variant=apt --include="$(IFS=,; printf '%s' "${packages[*]}")" \
        "$release" "$partial/root" "$partial/sources" || fail "mmdebstrap could not install $release; see above"
    # The guest has no terminal, and nobody who would log in.
    as_root rm -f "$partial"/root/etc/{hostname,resolv.conf}
    quietly as_root mke2fs -q -t ext4 -d "$partial/root" "$partial/disk" "${mebibytes}M" ||
        fail "mke2fs could not make a disk of the files; see above"
    as_root chown "$(id -u)" "$partial/disk"
    mv "$partial/disk" "$system_disk"
    made_from >"$guest/system-made-from"
}

made_from() {
    printf '%s\n' "$release" "${packages[@]}" "$mebibytes"
    sha256sum <scripts/guest/system.sh
}

main
