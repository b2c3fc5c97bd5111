#!/usr/bin/env bash
# Pushes between the tool of an earlier version and this one, in both directions:
#
#     scripts/compatibility.sh          the last tag before this commit; without a tag, the commit below
#     scripts/compatibility.sh v1.0.0   this tag, or any commit
#
# The earlier tool is built once, in .build-compatibility/COMMIT. scripts/build.sh and scripts/swift-tests.sh build have to
# have run.
source "$(dirname "$0")/common.sh"

# The formats of 1.0 are complete from this commit on.
first=f7c541e8

main() {
    local version commit folder
    version=${1:-$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null || printf '%s' "$first")}
    if ! commit=$(git rev-parse --short=12 --verify "$version^{commit}"); then
        printf 'left out: this clone has no %s: fetch its tags and history\n' "$version" >&2
        exit 77
    fi
    [[ -x .build/release/bleota ]] || fail "there is no tool: scripts/build.sh makes it"
    folder=.build-compatibility/$commit
    [[ -x $folder/bleota ]] || build "$commit" "$folder"
    step "Old: $("$folder/bleota" --version) of $version. New: $(.build/release/bleota --version)"
    LLVM_PROFILE_FILE=/dev/null BLEOTA_OLD_TOOL=$root/$folder/bleota BLEOTA_TOOL=$root/.build/release/bleota \
        .build-test/debug/bleotaPackageTests.xctest --testing-library swift-testing --no-parallel \
        --filter '^BLEOTAToolTests\.CompatibilityTests/' || fail "old and new do not work together; see above"
}

# Builds the tool of a commit. Arguments: the commit, where to keep the tool.
build() {
    local commit=$1 folder=$2
    step "Building the tool of $commit"
    rm -rf "$folder"
    mkdir -p "$folder/tree"
    git archive "$commit" | tar -x -C "$folder/tree"
    (cd "$folder/tree" && scripts/build.sh)
    mv "$folder/tree/.build/release/bleota" "$folder/bleota"
    rm -rf "$folder/tree"
}

main "$@"
