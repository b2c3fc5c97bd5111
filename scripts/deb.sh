#!/usr/bin/env bash
# Makes the Debian packages of what is built, in .build-deb:
#
#     scripts/deb.sh                  builds the tool and the libraries for C, and packs them
#     scripts/deb.sh --pack           packs those that are there
#
#     --arch ARCHITECTURE             the processor of the tool and of the library; this machine's by default
#     --output FOLDER                 leaves the packages there instead
#     --program FILE                  packs this tool instead of .build/release/bleota
#     --fleet-program FILE            and this one instead of Fleet/.build/release/bleota-fleet
#     --version VERSION               instead of the version that the sources have
#
# Their bytes depend on the sources and on the time of the commit, not on the folder or on the time of the build.
caller=$PWD
source "$(dirname "$0")/common.sh"

archives=$root/.build-embedded/unpacked
output=$root/.build-deb
program=$root/.build/release/bleota
fleet_program=$root/Fleet/.build/release/bleota-fleet
pack=false
version=
architecture=

main() {
    while [[ $# -gt 0 ]]; do
        case $1 in
        --pack) pack=true ;;
        --arch | --output | --program | --fleet-program | --version)
            [[ $# -ge 2 ]] || fail "$1 needs a value"
            take "$1" "$2"
            shift
            ;;
        *) fail "no such option: $1; the beginning of this script says which there are" ;;
        esac
        shift
    done
    require_architecture
    scripts/packages.sh deb python
    if ! $pack; then
        scripts/build.sh
        scripts/build.sh --fleet
        scripts/embedded-release.sh
    fi
    [[ -x $program ]] || fail "there is no $program: scripts/build.sh makes it"
    [[ -x $fleet_program ]] || fail "there is no $fleet_program: scripts/build.sh --fleet makes it"
    [[ -e $archives/host/libBLEOTAReceiverC.a ]] ||
        fail "there are no archives for C: scripts/embedded-release.sh makes them"
    [[ -n $version ]] || version=$(scripts/version.sh)
    [[ -n ${SOURCE_DATE_EPOCH:-} ]] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) ||
        fail "the packages have the time of a commit, and this folder is no clone: set SOURCE_DATE_EPOCH"
    export SOURCE_DATE_EPOCH

    mkdir -p "$output"
    rm -f "$output"/{bleota,bleota-receiver,bleota-fleet,libbleotareceiver-dev}_*
    # The name is the same in each build: it could otherwise be in a package.
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    source=$work/bleota-$version
    mkdir -p "$source/made"
    cp -r Packaging/debian "$source/"
    write_changelog >"$source/debian/changelog"
    cp CHANGELOG.md "$source/"
    make_tool
    make_receiver
    make_fleet
    make_library
    # Files that anybody may read, whatever the umask of the caller.
    chmod -R u=rwX,go=rX "$source"
    build
}

absolute() {
    [[ $1 == /* ]] || printf '%s/' "$caller"
    printf '%s' "$1"
}

take() {
    case $1 in
    --arch) architecture=$2 ;;
    --output) output=$(absolute "$2") ;;
    --program) program=$(absolute "$2") ;;
    --fleet-program) fleet_program=$(absolute "$2") ;;
    --version) version=$2 ;;
    esac
}

require_architecture() {
    local own
    own=$(dpkg --print-architecture) || fail "the packages are Debian's, and there is no dpkg here"
    [[ -z $architecture || $architecture == "$own" ]] ||
        fail "packages for $architecture can't be made on $own: that needs a Swift SDK for Linux with glibc on" \
            "that processor, which does not come with Swift, and the libraries that the tool loads;" \
            "run this on a machine with $architecture"
}

# The entry of the version alone: what users notice is in CHANGELOG.md, which the packages have as well.
write_changelog() {
    printf 'bleota (%s-1) unstable; urgency=medium\n\n' "$version"
    printf '  * Version %s. The upstream changelog lists the changes.\n\n' "$version"
    printf ' -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' Packaging/debian/control)" \
        "$(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")"
}

make_tool() {
    make_program bleota "$program" "$source/made"
}

make_fleet() {
    mkdir "$source/made/fleet"
    make_program bleota-fleet "$fleet_program" "$source/made/fleet" --fleet
    cp -r Packaging/fleet "$source/made/fleet/files"
}

# A program as it is packed, with its page, completions and bill of materials. Arguments: its name, its file, the
# folder for them, options of scripts/sbom.py.
make_program() {
    local name=$1 made=$3
    install -m 755 "$2" "$made/$name"
    # Without symbols, as in each package; the toolchain's program knows the tool's packed relocations.
    "$(toolchain_programs)/llvm-strip" "$made/$name" 2>/dev/null || strip "$made/$name"
    scripts/man.py "$made/$name" >"$made/$name.1"
    mkdir "$made"/{bash,zsh,fish}
    # It is read by a shell, and is no program.
    "$made/$name" --generate-completion-script bash | sed '1{/^#!/d}' >"$made/bash/$name"
    "$made/$name" --generate-completion-script zsh >"$made/zsh/_$name"
    "$made/$name" --generate-completion-script fish >"$made/fish/$name.fish"
    scripts/sbom.py "${@:4}" --version "$version" --tool "$made/$name" --licences "$made/licences" >"$made/$name.spdx.json"
}

make_receiver() {
    cp -r Packaging/receiver "$source/made/receiver"
}

# The headers are the same for all processors.
make_library() {
    local made=$source/made/library target folder
    mkdir -p "$made"/{targets,pkgconfig,cmake}
    cp -r "$archives/host/include" "$archives/host/libBLEOTAReceiverC.a" "$made/"
    cp -r "$archives/host"/{guides,protocol} "$made/"
    cp -r Examples/ReceiverInC "$made/receiver"
    cp Packaging/library/README.md "$made/"
    for folder in "$archives"/*; do
        target=${folder##*/}
        [[ $target != host ]] || continue
        diff -r "$folder/include" "$made/include" || fail "the headers for $target differ from the host's; see above"
        mkdir "$made/targets/$target"
        cp "$folder/libBLEOTAReceiverC.a" "$made/targets/$target/"
        write_pkgconfig "$target" >"$made/pkgconfig/bleota-receiver-$target.pc"
    done
    write_pkgconfig >"$made/pkgconfig/bleota-receiver.pc"
    cp Packaging/library/BLEOTAReceiverConfig.cmake "$made/cmake/"
    sed "s/@VERSION@/$version/g" Packaging/library/BLEOTAReceiverConfigVersion.cmake.in \
        >"$made/cmake/BLEOTAReceiverConfigVersion.cmake"
}

# Arguments: the target, none for this machine.
write_pkgconfig() {
    local directory
    directory=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
    sed -e "s|@VERSION@|$version|; s|@LIBDIR@|$directory${1:+/bleota/$1}|" \
        -e "s|@NAME@|bleota-receiver${1:+-$1}|; s|@PROCESSOR@|${1:+ on $1}|" Packaging/library/bleota-receiver.pc.in
}

build() {
    (
        cd "$source"
        # No package with debug symbols: the tool that is packed has none.
        DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" quietly dpkg-buildpackage --build=binary --unsigned-source \
            --unsigned-changes --compression=xz
    ) || fail "dpkg-buildpackage failed; see above"
    local file
    for file in "$work"/*.{deb,changes,buildinfo}; do
        mv "$file" "$output/"
        [[ $file != *.deb ]] || printf '%s  %d bytes, installed %d KiB\n' "$output/${file##*/}" \
            "$(stat -c %s "$output/${file##*/}")" "$(dpkg-deb --field "$output/${file##*/}" Installed-Size)"
    done
}

main "$@"
