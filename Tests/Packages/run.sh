#!/usr/bin/env bash
# Installs the packages in guests with a fresh Debian of a release:
#
#     Tests/Packages/run.sh RELEASE           installs and upgrades them, updates by a campaign, and purges them
#     Tests/Packages/run.sh RELEASE unit      starts the guest again meanwhile, and kills the receiver ten times
#
# It needs what scripts/deb.sh leaves, and a server for the fleet (Fleet/scripts/server.sh).
source "$(dirname "$0")/../../scripts/common.sh"

release=${1:?name a release of Debian, such as bookworm}
packages=$root/.build-deb
tool=${BLEOTA_TOOL:-$root/.build/release/bleota}

main() {
    [[ -n $(find "$packages" -name 'bleota_*.deb' 2>/dev/null) ]] || fail "there are no packages: make deb makes them"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    make_old_packages
    make_images
    if [[ ${2:-} == unit ]]; then
        in_guest --disk "$work/disk" -- install upgrade
        in_guest --disk "$work/disk" -- unit fleet remove
    else
        in_guest --system -- install upgrade fleet remove
    fi
}

# Where no release was before this one, the packages themselves are that one, under the number before.
make_old_packages() {
    local package
    mkdir "$work/old"
    for package in "$packages"/bleota{,-receiver,-fleet}_*.deb; do
        dpkg-deb --raw-extract "$package" "$work/tree"
        sed -i -E '/^(Version|Depends):/s/([0-9.]+)-1/\1~-1/' "$work/tree/DEBIAN/control"
        quietly dpkg-deb --root-owner-group -Znone --build "$work/tree" "$work/old/"
        rm -r "$work/tree"
    done
}

# Each image is new to the device, and can't be compressed.
make_images() {
    local name results=$work/results
    mkdir "$results"
    "$tool" --version >"$results/version"
    "$tool" key generate "$results/release.pem" >/dev/null
    for name in first second kill-{1..10}; do
        head -c 60000 /dev/urandom >"$results/$name.bin"
        "$tool" sign "$results/$name.bin" --key "$results/release.pem" --hardware acme/gate --output "$results/$name.bleota" >/dev/null
    done
}

# Runs phases of install.sh in a guest. Arguments: the guest's options, --, the phases.
in_guest() {
    local options=()
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    scripts/guest.sh --release "$release" --timeout 1400 --results "$work/results" "${options[@]}" -- \
        bash Tests/Packages/install.sh "/run/host$packages" "/run/host$work/old" "$@"
}

main "$@"
