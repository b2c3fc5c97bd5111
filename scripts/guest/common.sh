# shellcheck shell=bash
# Sourced by the scripts that make and start the guest: where its parts are, and what they are made from.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# The folder of all guests, with what they share.
guests=${BLEOTA_GUEST_DIR:-$root/.build-guest}

# Sets `release` to the name of the Debian release that the guest is made from, and `guest` to its folder,
# which holds, once built: kernel, initramfs, root (what the guest has over the host), accelerator, made-from.
#
# $BLEOTA_GUEST_RELEASE names it; by default it is this machine's own. The programs of this machine run in the
# guest, with the C library of the guest's release where that brings one: it has to be as new as theirs.
find_guest() {
    host_release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    release=${BLEOTA_GUEST_RELEASE:-$host_release}
    [[ $release =~ ^[a-z]*$ ]] || fail "a release of Debian has a name such as trixie, not: $release"
    guest=$guests
    [[ $release == "$host_release" ]] || guest=$guests/$release
    # shellcheck disable=SC2034  # used by those
    system_disk=$guest/system.img
}
find_guest

# shellcheck disable=SC2034  # used by those
emulator=qemu-system-x86_64

# Ends the script where no guest can run at all, with the exit code that test runners take for "left out".
cannot() {
    printf '%s: no guest with Bluetooth here: %s\n' "${0##*/}" "$*" >&2
    exit 77
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# Prints a line of sources.list for each mirror of this machine, with the release of the guest.
debian_sources() {
    # shellcheck disable=SC2016  # apt-get expands it
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v host="$host_release" -v release="$release" -v keyring="$keyring" '
            $1 == "Debian" && ($3 == host || index($3, host "-") == 1) && $4 == "main" {
                print "deb [signed-by=" keyring "]", $2, release substr($3, length(host) + 1), $4
            }' | sort -u
}

# What the cache depends on besides packages: a change of these files makes it anew.
recipe() {
    cat scripts/guest/build.sh scripts/guest/common.sh scripts/guest/init | sha256sum | cut -d ' ' -f 1
}

# Whether everything is there and was made by these scripts, whatever the versions of its packages.
is_built() {
    [[ -e $guest/made-from ]] && [[ $(head -n 1 "$guest/made-from") == "recipe $(recipe)" ]]
}

# Prints the options of QEMU that every guest has; $1 is `kvm` or `tcg`.
emulator_options() {
    # Emulated, a second processor makes everything slower, as do page tables of five levels and the wide
    # vectors that the C library's functions would choose.
    local accelerator=tcg processors=1
    local model=max,la57=off,avx=off,avx2=off,smap=off,smep=off,pku=off
    if [[ $1 == kvm ]]; then
        accelerator=kvm
        processors=2
        model=host
    fi
    # -no-reboot: the guest ends by a reset, which is faster than an orderly power-off.
    printf '%s\n' -accel "$accelerator" -cpu "$model" -smp "$processors" -m 2048 -nodefaults -no-reboot \
        -display none -monitor none -kernel "$guest/kernel" -initrd "$guest/initramfs"
}

# Quiet: the serial port is slow, and panics show all the same. Programs at the same addresses in every
# process (`norandmaps`) need not be translated again. The kernel's self-tests of its ciphers take seconds.
kernel_options="console=ttyS0 quiet panic=-1 nokaslr norandmaps mitigations=off rodata=off"
kernel_options+=" cryptomgr.notests=1 random.trust_cpu=on"
