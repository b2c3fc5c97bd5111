#!/usr/bin/env bash
# Builds the documentation of every module that has a catalogue, Sources/MODULE/MODULE.docc, as one site:
# .build-docs/site. A warning of DocC is an error.
#
# The modules are compiled in the folder of scripts/without-traits.sh and with its traits, so their dependencies are
# compiled already if that script has run.
source "$(dirname "$0")/common.sh"

site=$root/.build-docs/site

main() {
    local catalogue targets=()
    for catalogue in Sources/*/*.docc; do
        targets+=(--target "$(basename "$catalogue" .docc)")
    done
    mkdir -p .build-docs
    export BLEOTA_DOCS=1
    if ! quietly swift package --scratch-path .build-examples --traits Signatures resolve; then
        printf 'The plugin for documentation can not be fetched; see above.\n'
        exit 77
    fi
    swift package --scratch-path .build-examples --traits Signatures --allow-writing-to-directory "$root/.build-docs" \
        generate-documentation "${targets[@]}" --enable-experimental-combined-documentation \
        --warnings-as-errors --fallback-default-module-kind Module --output-path "$site"
    [[ -s $site/documentation/index.html ]] || fail "DocC ended without an error, but $site has no pages"
    printf 'The site is in %s. To read it:\n\n' "${site#"$root"/}"
    printf '    python3 -m http.server --directory %s\n\n' "${site#"$root"/}"
    printf 'and open http://localhost:8000/documentation in a browser.\n'
}

main
