#!/usr/bin/env bash
# Makes a release (make release VERSION=1.2.0 KEY=release.pem):
#
#     scripts/release.sh VERSION --key FILE [--checked] [--dry-run]
#
#     --key FILE    signs the list of the artefacts with this key (bleota key generate)
#     --checked     does not run make check where it has passed for this commit
#     --dry-run     does all of it, and leaves the repository as it is
#
# All of it happens in a clone, in .build-release: the commit with the version and the date of the changelog, its tag,
# the artefacts from that commit, their list with its signature, and an installation of them in fresh guests. The
# repository gets the commit and the tag at the end, so that a release that fails leaves nothing behind.
caller=$PWD
source "$(dirname "$0")/common.sh"

folder=$root/.build-release
version=
key=
checked=false
dry_run=false
usage="scripts/release.sh VERSION --key FILE [--checked] [--dry-run]"

main() {
    while [[ $# -gt 0 ]]; do
        case $1 in
        --key)
            [[ $# -ge 2 ]] || fail "--key needs a file: $usage"
            key=$2
            shift
            ;;
        --checked) checked=true ;;
        --dry-run) dry_run=true ;;
        -*) fail "no such option: $1: $usage" ;;
        *) version=$1 ;;
        esac
        shift
    done
    require_arguments
    require_repository
    step "Checks"
    check_everything
    step "The commit and the tag, in $folder/source"
    commit_version
    step "Artefacts"
    build
    step "Signature"
    sign
    step "Installation"
    verify
    finish
}

require_arguments() {
    [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "a version has three numbers, such as 1.2.0: $usage"
    [[ -n $key ]] || fail "name the key that signs the list of the artefacts: $usage"
    [[ $key == /* ]] || key=$caller/$key
    grep -qs 'PRIVATE KEY' "$key" || fail "there is no private key at $key; bleota key generate makes one"
    [[ -e $key.pub ]] || fail "there is no $key.pub, which the artefacts are published with; bleota key show prints it"
    command -v openssl >/dev/null || fail "openssl signs the list of the artefacts, and is not here"
}

require_repository() {
    [[ -z $(git status --porcelain) ]] || fail "the working tree has changes; commit them first"
    ! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || fail "there is a tag v$version already"
    local current
    current=$(scripts/version.sh)
    [[ $current == "$version" || $(printf '%s\n' "$current" "$version" | sort --version-sort | tail -n 1) == "$version" ]] ||
        fail "version $version is older than that of the sources, $current"
    [[ -n $(changes) ]] || fail "CHANGELOG.md says nothing below [Unreleased]"
}

# Prints what the changelog has of no version yet.
changes() {
    awk '/^## / { inside = $0 == "## [Unreleased]"; next } inside && NF' CHANGELOG.md
}

check_everything() {
    local commit
    commit=$(git rev-parse HEAD)
    if $checked && [[ $(cat .build-stages/checked 2>/dev/null) == "$commit" ]]; then
        printf 'make check has passed for %s.\n' "$commit"
        return
    fi
    make check
    [[ $(cat .build-stages/checked) == "$commit" ]] || fail "make check has left no record for $commit"
}

commit_version() {
    rm -rf "$folder"
    mkdir -p "$folder/artefacts"
    git clone --quiet "$root" "$folder/source"
    cd "$folder/source"
    git config user.name "$(git -C "$root" log -1 --format=%an)"
    git config user.email "$(git -C "$root" log -1 --format=%ae)"
    sed -i "s/\(versionNumber = \"\)[^\"]*/\1$version/" Sources/BLEOTATool/Bleota.swift
    sed -i "s/^## \[Unreleased\]$/&\n\n## [$version] - $(date --utc +%F)/" CHANGELOG.md
    # An example names the archives of the current version.
    sed -i -E "s/(bleota-receiver-)[0-9]+\.[0-9]+\.[0-9]+-/\1$version-/g" Embedded/Guides/README.md \
        Embedded/Guides/esp-idf/CMakeLists.txt Embedded/Guides/zephyr/Kconfig
    git commit --quiet --all --message "Release version $version" \
        --message "The changelog has its date, and the sources have its number."
    git tag --annotate "v$version" --message "bleota $version"
    git show --stat --format='%h %s' HEAD
}

build() {
    cd "$folder/source"
    scripts/deb.sh
    cp .build-deb/*.deb "$folder/artefacts/"
    cp .build-embedded/release/*.tar.gz "$folder/artefacts/"
    dpkg-deb --fsys-tarfile .build-deb/bleota_*.deb |
        tar --extract --to-stdout ./usr/share/doc/bleota/bleota.spdx.json >"$folder/artefacts/bleota-$version.spdx.json"
    if [[ -x scripts/site.sh ]]; then
        make site
        tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime "@$(git log -1 --format=%ct)" \
            --directory .build-site/site . | gzip --no-name >"$folder/artefacts/bleota-$version-site.tar.gz"
    fi
    git archive --format=tar.gz --prefix="bleota-$version/" --output="$folder/artefacts/bleota-$version.tar.gz" "v$version"
}

# With a key of bleota, and what a user has before bleota is installed: openssl reads the key, and verifies.
sign() {
    cd "$folder/artefacts"
    cp "$key.pub" release.pem.pub
    sha256sum -- * >SHA256SUMS
    openssl pkeyutl -sign -rawin -inkey "$key" -in SHA256SUMS -out SHA256SUMS.sig ||
        fail "openssl could not sign with $key; the key has to be one of Ed25519"
    cat SHA256SUMS
}

verify() {
    cd "$folder/artefacts"
    openssl pkeyutl -verify -rawin -pubin -inkey release.pem.pub -in SHA256SUMS -sigfile SHA256SUMS.sig
    sha256sum --check --quiet SHA256SUMS
    cd "$folder/source"
    local deb name
    for deb in .build-deb/*.deb; do cmp "$deb" "$folder/artefacts/${deb##*/}"; done
    for name in bookworm trixie; do
        BLEOTA_GUEST_DIR=${BLEOTA_GUEST_DIR:-$root/.build-guest} Tests/Packages/run.sh "$name"
    done
}

finish() {
    cd "$root"
    if $dry_run; then
        printf '\nVersion %s could be released. The repository is as it was; the artefacts are in %s.\n' \
            "$version" "$folder/artefacts"
        return
    fi
    git pull --quiet --ff-only "$folder/source" "refs/tags/v$version" ||
        fail "the repository has changed meanwhile, and has neither the commit nor the tag"
    git fetch --quiet "$folder/source" "refs/tags/v$version:refs/tags/v$version"
    printf '\nVersion %s is committed and tagged, and its artefacts are in %s. To publish it:\n\n    git push --follow-tags\n' \
        "$version" "$folder/artefacts"
}

main "$@"
