#!/usr/bin/env bash
# Makes an archive for each target, of what makers of devices need, and their checksums:
#
#     scripts/embedded-release.sh             builds the libraries, and packs them
#     scripts/embedded-release.sh --pack      packs those that are there
#
# It leaves .build-embedded/release/bleota-receiver-VERSION-TARGET.tar.gz and SHA256SUMS, and what is in the
# archives in .build-embedded/unpacked/TARGET, where the tests of the guides take it from. Two runs make the
# same bytes: it packs twice and compares.
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/embedded-swift.sh"

folder=.build-embedded/release
unpacked=.build-embedded/unpacked

main() {
    [[ ${1:-} == --pack ]] || scripts/build-embedded.sh
    rm -rf "$folder" "$unpacked"
    mkdir -p "$folder/again" "$unpacked"
    local target
    for target in "${embedded_targets[@]}" host; do pack "$target"; done
    rmdir "$folder/again"
    (cd "$folder" && sha256sum ./*.tar.gz | sed 's|\./||' >SHA256SUMS)
    printf '%s\n' "$folder/SHA256SUMS"
}

pack() {
    local target=$1 archive
    [[ -e .build-embedded/$target/libBLEOTAReceiverC.a ]] ||
        fail "there is no library for $target; run: scripts/build-embedded.sh $target"
    archive=$(python3 Embedded/Library/make-archive.py "$target" "$folder")
    python3 Embedded/Library/make-archive.py "$target" "$folder/again" >/dev/null
    cmp "$archive" "$folder/again/${archive##*/}" || fail "two archives for $target are not the same; see above"
    rm "$folder/again/${archive##*/}"
    mkdir "$unpacked/$target"
    tar --extract --file "$archive" --directory "$unpacked/$target" --strip-components 1
    printf '%s\n' "$archive"
}

main "$@"
