#!/usr/bin/env bash
# Checks the packages of this machine's architecture that scripts/deb.sh left: what lintian says of them, their sizes,
# that they name no path of this machine, the bill of materials, and the library for C as installed.
source "$(dirname "$0")/../../scripts/common.sh"

packages=$root/.build-deb
# The tools: bytes of the package, and KiB that it takes once installed.
declare -A deb_byte_count_max=([bleota]=8000000 [bleota-fleet]=12000000)
declare -A installed_kibibytes_max=([bleota]=25000 [bleota-fleet]=40000)
spdx_tools=spdx-tools==0.8.3

main() {
    scripts/packages.sh deb
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    step "lintian"
    lintian --fail-on error,warning --display-info --tag-display-limit 0 "$packages"/*.changes ||
        fail "lintian has something against the packages; see above"
    step "Sizes"
    judge_size bleota
    judge_size bleota-fleet
    step "Paths of this machine"
    look_for_paths
    step "Bills of materials"
    install_judge
    judge_materials bleota
    judge_materials bleota-fleet
    step "A program with the library for C"
    Tests/Packages/library.sh "$packages"/libbleotareceiver-dev_*.deb
}

# Argument: the package of a tool.
judge_size() {
    local deb byte_count kibibytes
    deb=$(echo "$packages/$1"_*.deb)
    byte_count=$(stat -c %s "$deb")
    kibibytes=$(dpkg-deb --field "$deb" Installed-Size)
    printf '%s: %d bytes of at most %d; installed %d KiB of at most %d\n' \
        "$1" "$byte_count" "${deb_byte_count_max[$1]}" "$kibibytes" "${installed_kibibytes_max[$1]}"
    ((byte_count <= deb_byte_count_max[$1] && kibibytes <= installed_kibibytes_max[$1])) ||
        fail "the package $1 has become too large"
}

look_for_paths() {
    local deb
    for deb in "$packages"/*.deb; do
        mkdir -p "$work/files"
        dpkg-deb --extract "$deb" "$work/files"
    done
    # In compressed files as well.
    find "$work/files" -name '*.gz' -exec gunzip {} +
    # The packages are put together in a folder that mktemp names.
    ! grep -rlaE -e "$root|$HOME/|/tmp/tmp\.[A-Za-z0-9]{10}" "$work/files" ||
        fail "these files name a folder of this machine"
    file_has_no_symbols "$work/files/usr/bin/bleota"
    file_has_no_symbols "$work/files/usr/bin/bleota-fleet"
}

file_has_no_symbols() {
    ! readelf --wide --sections "$1" | grep -E '\.(symtab|debug_)' || fail "$1 has symbols"
}

install_judge() {
    scripts/packages.sh venv
    quietly python3 -m venv "$work/environment"
    quietly "$work/environment/bin/pip" install --no-input "$spdx_tools" || fail "pip could not install $spdx_tools; see above"
}

# Argument: the package of a tool.
judge_materials() {
    local folder=$work/files/usr/share/doc/$1
    local document=$folder/$1.spdx.json
    "$work/environment/bin/pyspdxtools" --infile "$document" || fail "the bill of materials is not valid; see above"
    # It would say so of an invalid one.
    sed 's/"SPDX-2.3"/"SPDX-9"/; s/Apache-2.0/Apache-zwei/' "$document" >"$work/wrong.spdx.json"
    ! "$work/environment/bin/pyspdxtools" --infile "$work/wrong.spdx.json" >/dev/null 2>&1 || fail "pyspdxtools judges nothing"
    python3 - "$document" "$folder/licences" "$1" <<'END'
import json, pathlib, sys
document, licences = json.load(open(sys.argv[1])), pathlib.Path(sys.argv[2])
linked = {r["relatedSpdxElement"]: r["relationshipType"] for r in document["relationships"]}
for package in document["packages"]:
    print(f'{linked[package["SPDXID"]]:<13}{package["name"]:<28}{package["versionInfo"]:<28}{package["licenseDeclared"]}')
names = [p["name"] for p in document["packages"] if linked[p["SPDXID"]] == "STATIC_LINK"]
for name in names:
    folder = licences / ("swift" if name.startswith("swift-") and not (licences / name).is_dir() else name)
    assert list(folder.iterdir()), f"{name} has no licence among those that are shipped"
expected = {"bleota": {"swift", "swift-crypto", "swift-foundation"}, "bleota-fleet": {"swift", "swift-crypto"}}
assert expected[sys.argv[3]] <= set(names), names
END
}

main
