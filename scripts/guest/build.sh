#!/usr/bin/env bash
# Prepares what scripts/guest.sh starts: Debian's kernel, an initramfs, and Debian's bluetoothd with what it
# needs, unpacked and not installed. It all goes to .build-guest, or to $BLEOTA_GUEST_DIR.
#
# $BLEOTA_GUEST_RELEASE may name another release of Debian than this machine's, such as trixie: its packages
# come from the same mirrors as this machine's, into a folder of the release's name. This machine needs to be
# Debian for that, no newer than that release, and know the release's keys (debian-archive-keyring).
#
# Where that is there in the packages' current versions, nothing is done.
source "$(dirname "$0")/common.sh"

# In the guest over the host's files, in Debian's version whatever the host has.
programs=(bluez bluez-test-tools dbus-daemon dbus-bin dbus-system-bus-common libdbus-1-3)

# In this order, each after what it depends on: `btvirt` signs and encrypts through the kernel's AF_ALG, and
# the self-test of `ecdh_generic` needs a generator of random numbers.
base_modules=(virtio_pci virtio_console 9pnet_virtio 9p overlay)
bluetooth_modules=(
    hmac sha256_generic sha512_generic drbg ctr ecb cbc cmac aes_generic ccm
    algif_skcipher algif_hash algif_aead ecdh_generic bluetooth hci_vhci uhid
)
# Of guests with a disk.
system_modules=(virtio_blk crc32c_generic ext4)

main() {
    [[ $(uname -sm) == "Linux x86_64" ]] || cannot "it needs Linux on x86_64, and this is $(uname -sm)"
    if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
        if is_built && command -v "$emulator" >/dev/null; then return; fi
        cannot "its parts come from Debian packages; run this on Debian 12, or in a container of it"
    fi
    command -v "$emulator" >/dev/null || scripts/packages.sh guest

    mkdir -p "$guest"
    exec {lock}>"$guest/lock"
    flock "$lock"
    if [[ $release != "$host_release" ]]; then use_release; fi
    find_versions
    if ! is_current; then build; fi
}

# What apt is told besides: where another release is to be looked up.
apt_options=()

# Has apt look at another release than this machine's, in folders of its own.
use_release() {
    local folder=$guest/apt
    [[ -e $keyring ]] || cannot "the keys of Debian's releases are not here: apt-get install debian-archive-keyring"
    mkdir -p "$folder"/{lists,cache}/partial
    debian_sources >"$folder/sources"
    [[ -s $folder/sources ]] ||
        cannot "apt knows no mirror of Debian's release $host_release here, where $release would be too"
    # Nothing is installed of it: what depends on what is found out from the beginning.
    : >"$folder/status"
    apt_options=(
        -o "Dir::Etc::sourcelist=$folder/sources" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
        -o "Dir::State=$folder" -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache"
        -o "APT::Sandbox::User=$(id -un)"
    )
}

apt_get() {
    apt-get "${apt_options[@]}" "$@"
}

apt_cache() {
    apt-cache "${apt_options[@]}" "$@"
}

# Sets `kernel` to the kernel's package and `versions` to PACKAGE=VERSION of all.
find_versions() {
    if ! look_up; then
        update_index
        look_up || cannot "$release has no linux-image-amd64 or bluez-test-tools; run this on Debian 12"
    fi
}

look_up() {
    local libraries
    kernel=$(apt_cache depends linux-image-amd64 2>/dev/null |
        sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
    [[ -n $kernel ]] || return 1
    versions=()
    mapfile -t versions < <(apt_cache policy "$kernel" busybox-static "${programs[@]}" 2>/dev/null |
        awk '/^[^ ]/ { sub(/:$/, ""); package = $0 }
            $1 == "Candidate:" && $2 != "(none)" { print package "=" $2 }')
    [[ ${#versions[@]} -eq $((${#programs[@]} + 2)) ]] || return 1
    # Of the libraries only those that the host has not got; of another release all, since its programs need
    # newer ones. What has bluez as a service (udev, systemd) is of no use here.
    mapfile -t libraries < <(apt_cache depends "${programs[@]}" |
        sed -n 's/^ [ |]Depends: \(lib[^<>]*\)$/\1/p' | sort -u)
    mapfile -t -O ${#versions[@]} versions < <(
        apt_get install -s --no-upgrade --no-install-recommends "${libraries[@]}" 2>/dev/null |
            sed -n 's/^Inst \([^ ]*\) .*(\([^ ]*\) .*/\1=\2/p' | grep -vE "^($(IFS='|'; echo "${programs[*]}"))="
    )
}

update_index() {
    if [[ ${#apt_options[@]} -gt 0 ]]; then
        quietly apt_get update || cannot "apt can't read the lists of Debian's release $release; see above"
        return
    fi
    require_root apt-get update
    quietly as_root apt-get update || fail "apt-get update failed; see above"
}

is_current() {
    [[ -e $guest/made-from ]] && made_from | cmp -s - "$guest/made-from"
}

made_from() {
    printf 'recipe %s\n' "$(recipe)"
    printf '%s\n' "${versions[@]}"
}

build() {
    step "The guest with Bluetooth of Debian's $release, in $guest"
    # Running guests hold the folder; they end by themselves.
    exec {in_use}>"$guest/in-use"
    flock "$in_use"
    rm -rf "$guest"/{made-from,kernel,initramfs,root,accelerator} "$guest"/partial.*
    partial=$(mktemp -d "$guest/partial.XXXXXX")
    trap 'rm -rf "$partial"' EXIT

    local package
    mkdir -p "$partial"/{kernel,busybox}
    for package in "${versions[@]}"; do
        case $package in
        linux-image-*) unpack "$package" "$partial/kernel" ;;
        busybox-static=*) unpack "$package" "$partial/busybox" ;;
        *) unpack "$package" "$partial/root" ;;
        esac
    done
    mv "$partial/root" "$guest/root"
    make_initramfs
    unpack_kernel "$partial"/kernel/boot/vmlinuz-*
    choose_accelerator
    made_from >"$guest/made-from"
}

# Unpacks PACKAGE=VERSION ($1) over the folder $2.
unpack() {
    printf '%s\n' "$1"
    rm -rf "$partial/archive" "$partial/tree"
    mkdir -p "$partial/archive" "$partial/tree" "$2"
    cd "$partial/archive"
    if ! download "$1"; then
        # The index may be behind its mirror.
        update_index
        find_versions
        local current
        current=$(printf '%s\n' "${versions[@]}" | grep "^${1%%=*}=") || true
        download "$current" || fail "apt-get could not download $1"
    fi
    dpkg-deb -x ./*.deb "$partial/tree"
    # Packages of this release still have files in /lib, which is a link on the system itself: a folder of
    # that name in the layer above would hide all the rest.
    local folder
    for folder in bin sbin lib lib64; do
        if [[ -d $partial/tree/$folder && ! -L $partial/tree/$folder ]]; then
            mkdir -p "$partial/tree/usr/$folder"
            cp -a "$partial/tree/$folder/." "$partial/tree/usr/$folder/"
            rm -r "${partial:?}/tree/$folder"
        fi
    done
    cp -a "$partial/tree/." "$2/"
    cd "$root"
}

download() {
    # apt's unprivileged user may not write here; a download needs no privilege to begin with.
    apt_get download -o "APT::Sandbox::User=$(id -un)" "$1" >/dev/null 2>&1
}

make_initramfs() {
    local tree=$partial/initramfs busybox version
    busybox=$(find "$partial/busybox" -name busybox -type f -perm -u+x -print -quit)
    version=$(ls "$partial/kernel/usr/lib/modules")
    mkdir -p "$tree"/{bin,dev,proc,sys,modules}
    cp "$busybox" "$tree/bin/busybox"
    local program
    for program in sh mount mkdir ln cp insmod ip hostname sleep switch_root; do
        ln -s busybox "$tree/bin/$program"
    done
    cp scripts/guest/init "$tree/init"
    chmod 755 "$tree/init"

    # busybox looks for modules below the current folder's root only in /lib.
    ln -s usr/lib "$partial/kernel/lib"
    "$busybox" depmod -b "$partial/kernel" "$version" 2>/dev/null
    add_modules "$version" base "${base_modules[@]}"
    add_modules "$version" bluetooth "${bluetooth_modules[@]}"
    add_modules "$version" system "${system_modules[@]}"

    # Not compressed: the emulated processor would be slower to unpack than to read it.
    (cd "$tree" && find . | "$busybox" cpio -o -H newc -R 0:0) >"$guest/initramfs" 2>/dev/null
}

# Copies modules and what they depend on, and lists them in the order of loading.
# Arguments: the kernel's version, the list's name, the modules' names.
add_modules() {
    local modules=$partial/kernel/usr/lib/modules/$1 list=$partial/initramfs/modules/$2 module path name
    shift 2
    touch "$list"
    for module in "$@"; do
        for path in $(in_order "$modules/modules.dep" "$module"); do
            name=$(basename "${path%.xz}")
            # Loaded already, also where the first list has it.
            ! grep -qsx "$name" "$partial"/initramfs/modules/{base,bluetooth,system} || continue
            case $path in
            *.xz) xz -dc "$modules/$path" >"$partial/initramfs/modules/$name" ;;
            *) cp "$modules/$path" "$partial/initramfs/modules/$name" ;;
            esac
            printf '%s\n' "$name" >>"$list"
        done
    done
}

# Prints the paths of a module's dependencies, deepest first, and its own last; nothing for one that is part
# of the kernel itself.
in_order() {
    awk -v wanted="$2" -F ': *' '
        function visit(path, parts, count, i) {
            if (path in seen) return
            seen[path] = 1
            count = split(needs[path], parts, " ")
            for (i = count; i >= 1; i--) visit(parts[i])
            print path
        }
        {
            needs[$1] = $2
            name = $1
            sub(/.*\//, "", name)
            sub(/\.ko.*/, "", name)
            gsub(/-/, "_", name)
            if (name == wanted) found = $1
        }
        END { if (found) visit(found) }
    ' "$1"
}

# Takes the kernel out of its compressed file, which an emulated processor would need seconds to unpack.
# The file's header says where the kernel is in it (Linux: Documentation/x86/boot.rst).
unpack_kernel() {
    local file=$1 sectors offset length
    cp "$file" "$guest/kernel"
    sectors=$(od -An -t u1 -j $((0x1f1)) -N 1 "$file")
    offset=$(od -An -t u4 -j $((0x248)) -N 4 "$file")
    length=$(od -An -t u4 -j $((0x24c)) -N 4 "$file")
    # xz ends with a complaint, about the size that follows its data.
    tail -c "+$((1 + (sectors + 1) * 512 + offset))" "$file" | head -c "$length" |
        xz -dc >"$guest/kernel" 2>/dev/null || true
    # It may be compressed otherwise, or be no kernel that QEMU can start this way.
    if starts tcg; then return; fi
    cp "$file" "$guest/kernel"
    starts tcg || fail "the kernel does not start in $emulator; see $guest/probe.log"
}

# That /dev/kvm can be opened says little: on some machines the guest then never leaves its BIOS.
choose_accelerator() {
    local accelerator=tcg
    if [[ -r /dev/kvm && -w /dev/kvm ]] && starts kvm; then accelerator=kvm; fi
    printf '%s\n' "$accelerator" >"$guest/accelerator"
    printf 'Accelerator: %s\n' "$accelerator"
}

# Whether a guest with the accelerator $1 gets as far as its first process.
starts() {
    local options patience=60
    [[ $1 == tcg ]] || patience=10
    mapfile -t options < <(emulator_options "$1")
    # Braces, for what the shell itself says of a process that aborted.
    { (
        ulimit -c 0
        timeout --kill-after=1 "$patience" "$emulator" "${options[@]}" -serial stdio \
            -append "$kernel_options guest.probe" </dev/null >"$guest/probe.log" 2>&1
    ) || true; } 2>/dev/null
    grep -q '^guest: started' "$guest/probe.log"
}

main
