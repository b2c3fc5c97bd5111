#!/usr/bin/env bash
# Fetches the sources of mbed TLS 2.28, which Debian 12 has, without installing anything:
#
#     scripts/fetch-mbedtls.sh FOLDER
#
# They come from this machine's mirrors of Debian; apt checks them with its keys. Leaves FOLDER/library and
# FOLDER/include; a folder that is there is left alone. Ends with 77, and says why, where there is no apt-get or no
# mirror that has them.
caller=$PWD
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "name the folder to fetch to: scripts/fetch-mbedtls.sh FOLDER"
cd "$caller"
[[ ! -d $1 ]] || exit 0
mkdir -p "$(dirname "$1")"
folder=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d "$folder.partial.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archive" "$work/tree"

cannot() {
    printf 'mbed TLS: %s\n' "$*"
    exit 77
}

command -v apt-get >/dev/null || cannot "its sources come from a Debian package, and there is no apt-get here"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -e $keyring ]] || cannot "the keys of Debian's releases are not here: apt-get install debian-archive-keyring"

# The mirrors that this machine has programs from have their sources.
list_mirrors() {
    # shellcheck disable=SC2016  # apt-get expands it
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v keyring=$keyring '$1 == "Debian" && $4 == "main" {
            print "deb-src [signed-by=" keyring "] " $2 " " $3 " main"
        }' | sort -u >"$work/sources"
    [[ -s $work/sources ]]
}

# Who a mirror's packages come from apt knows once it has its lists.
list_mirrors || {
    require_root apt-get update
    quietly as_root apt-get update
    list_mirrors
} || cannot "apt knows no mirror of Debian here"
apt=(apt-get -o "Dir::Etc::sourcelist=$work/sources" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$work/lists" -o "APT::Sandbox::User=$(id -un)" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
"${apt[@]}" update >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    cannot "apt can't read the lists of source packages; see above"
}
cd "$work/archive"
"${apt[@]}" source --download-only mbedtls >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    cannot "apt can't download its sources; see above"
}
archive=$(find . -name 'mbedtls_2.28.*.orig.tar.*' -print -quit)
[[ -n $archive ]] || cannot "this release has another version than 2.28"
tar -xf "$archive" -C "$work/tree" --strip-components=1
[[ -e $work/tree/library/ecdsa.c ]] || fail "there is no library/ecdsa.c in $archive"
mv -T "$work/tree" "$folder"
