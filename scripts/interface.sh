#!/usr/bin/env bash
# Compares the public declarations of all products with the lists in Tests/PublicInterface:
#
#     scripts/interface.sh            fails if they differ
#     scripts/interface.sh --update   writes the lists
#
# A list has one declaration on each line, so every change of the interface shows in the diff of a commit. If there is a
# tag of a release with the same major version, no line of its lists may go.
# The declarations come from the modules that scripts/swift-tests.sh build has compiled.
source "$(dirname "$0")/common.sh"

modules=.build-test/debug/Modules
lists=Tests/PublicInterface
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

main() {
    local product status=0
    [[ -e $modules/BLEOTA.swiftmodule ]] || fail "there are no modules in $modules: scripts/swift-tests.sh build compiles them"
    for product in $(products); do list "$product"; done
    if [[ ${1:-} == --update ]]; then
        rm -rf "$lists"
        cp -r "$scratch/lists" "$lists"
    fi
    if ! diff -r -U 0 "$lists" "$scratch/lists" >"$scratch/difference"; then
        grep -v '^@@' "$scratch/difference"
        printf 'The public interface has changed. If that is wanted: scripts/interface.sh --update\n'
        status=1
    fi
    compare_with_release || status=1
    printf '%d declarations of %d modules\n' "$(cat "$scratch"/lists/* | wc -l)" "$(products | wc -l)"
    return "$status"
}

# The modules that are libraries with an interface in Swift: those with a catalogue.
products() {
    local catalogue
    for catalogue in Sources/*/*.docc; do basename "$catalogue" .docc; done
}

list() {
    local module=$1 map options=()
    mkdir -p "$scratch/graphs/$module" "$scratch/lists"
    for map in Sources/SystemLibraries/*/; do options+=(-I "$map"); done
    for map in .build-test/checkouts/*/Sources/*/include; do options+=(-I "$map"); done
    options+=(-Xcc "-I/usr/include/dbus-1.0" -Xcc "-I$(dirname "$(find /usr/lib -name dbus-arch-deps.h | head -n 1)")/..")
    quietly swift symbolgraph-extract -module-name "$module" -I "$modules" "${options[@]}" \
        -target "$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$scratch/graphs/$module" ||
        fail "the declarations of $module can't be read"
    scripts/interface.py "$scratch/graphs/$module" >"$scratch/lists/$module.txt"
    [[ -s $scratch/lists/$module.txt ]] || fail "$module has no public declarations"
}

# Lists what the last release had and this version has not, unless the major version has changed.
compare_with_release() {
    local tag path
    tag=$(git describe --tags --abbrev=0 --match 'v[1-9]*' 2>/dev/null) || return 0
    [[ $(major "${tag#v}") == "$(major "$(sed -n 's/.*versionNumber = "\(.*\)"/\1/p' Sources/BLEOTATool/Bleota.swift)")" ]] ||
        return 0
    git ls-tree -r --name-only "$tag" "$lists/" | while read -r path; do
        git show "$tag:$path" | sort | comm -23 - <(sort "$scratch/lists/$(basename "$path")" 2>/dev/null) |
            sed "s|^|$(basename "$path" .txt): |"
    done >"$scratch/gone"
    [[ -s $scratch/gone ]] || return 0
    printf 'Gone since %s, which needs a new major version:\n' "$tag"
    cat "$scratch/gone"
    return 1
}

major() {
    printf '%s' "${1%%.*}"
}

main "$@"
