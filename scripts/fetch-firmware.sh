#!/usr/bin/env bash
# Fetches real firmware images from Debian packages, without installing them:
#
#     scripts/fetch-firmware.sh FOLDER [PACKAGE…]
#
# Each package is unpacked to FOLDER/PACKAGE; one that is there already is left alone. Without
# package names it fetches what the tests push, except what this release of the distribution does
# not have, and ends with 77 where there is no apt-get. Prints FOLDER as an absolute path.
caller=$PWD
source "$(dirname "$0")/common.sh"

[[ $# -ge 1 ]] || fail "name the folder to fetch to: scripts/fetch-firmware.sh FOLDER [PACKAGE…]"
has_apt() {
    { command -v apt-get && command -v dpkg-deb; } >/dev/null
}

cd "$caller"
if [[ $# -eq 1 && ! -d $1 ]] && ! has_apt; then
    printf 'Firmware images come from Debian packages, and there is no apt-get and dpkg-deb here.\n'
    exit 77
fi
mkdir -p "$1"
cd "$1"
folder=$PWD
shift
optional=false
if [[ $# -eq 0 ]]; then
    optional=true
    set -- seabios opensbi firmware-tomu crust-firmware firmware-microbit-micropython
fi

fetch() {
    if $optional && ! apt_knows "$1"; then
        # Where the index has others of the packages, it is there, and this one is not.
        apt_knows seabios || update_index
        apt_knows "$1" || { printf '%s: not in this release, left out\n' "$1" >&2; return; }
    fi
    printf 'Fetching %s\n' "$1" >&2

    # The rename at the end is what makes the package's folder appear: it is whole or not there.
    local package=$1
    partial=$(mktemp -d "$folder/.partial.XXXXXX")
    mkdir "$partial/archive" "$partial/tree"
    cd "$partial/archive"
    download "$package" ||
        fail "apt-get could not download $package; is it in an enabled component of this release?"
    dpkg-deb -x ./*.deb "$partial/tree"
    [[ -n $(find "$partial/tree" -path '*/share/doc' -prune -o -type f -size +0 -print -quit) ]] ||
        fail "the package $package unpacked to nothing"
    cd "$folder"
    mv -T "$partial/tree" "$folder/$package"
    rm -rf "$partial"
}

download() {
    # apt's unprivileged user may not write here; a download needs no privilege to begin with.
    local command=(apt-get download -o "APT::Sandbox::User=$(id -un)" "$1")
    "${command[@]}" >/dev/null 2>&1 && return
    # Not known, or the index is behind its mirror.
    update_index
    "${command[@]}" >/dev/null 2>&1
}

# Once is enough for all packages.
update_index() {
    ! $index_is_new || return 0
    require_root apt-get update
    quietly as_root apt-get update
    index_is_new=true
}

apt_knows() {
    [[ $(apt-cache policy "$1" 2>/dev/null) == *"Candidate: "[^\(]* ]]
}

index_is_new=false
partial=
trap '[[ -z $partial ]] || rm -rf "$partial"' EXIT
for package in "$@"; do
    [[ ! -d $folder/$package ]] || continue
    has_apt || fail "firmware images come from Debian packages, and there is no apt-get and dpkg-deb here"
    fetch "$package"
done
[[ -n $(find "$folder" -mindepth 1 -maxdepth 1 -type d ! -name '.*' -print -quit) ]] ||
    fail "none of the firmware packages is in this system's repositories"
printf '%s\n' "$folder"
