#!/usr/bin/env bash
# Builds the packages once more, in another folder and at another time, and compares them byte by byte with those that
# scripts/deb.sh left.
source "$(dirname "$0")/../../scripts/common.sh"

packages=$root/.build-deb
[[ -n $(find "$packages" -name '*.deb' 2>/dev/null) ]] || fail "there are no packages: make deb makes them"
other=$(mktemp -d)
trap 'rm -rf "$other"' EXIT

# The time that the packages have: the other folder is no clone, and there may have been a commit since.
SOURCE_DATE_EPOCH=$(date --date "$(sed -n 's/^Date: //p' "$packages"/bleota_*.changes)" +%s)
export SOURCE_DATE_EPOCH
copy="$other/a folder of another name"
mkdir "$copy"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --target-directory "$copy"
# Where the umask, the time zone and the language are others.
(
    umask 077
    cd "$copy"
    TZ=Asia/Kathmandu LANG=C scripts/deb.sh --output "$other/packages"
)
for package in "$packages"/*.deb; do
    cmp "$package" "$other/packages/${package##*/}" || fail "${package##*/} has other bytes when it is built again"
    printf '%s  %s\n' "$(sha256sum <"$package" | cut -d ' ' -f 1)" "${package##*/}"
done
