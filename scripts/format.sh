#!/usr/bin/env bash
# Formats every Swift source in place; with --check, changes none and fails on any broken rule.
source "$(dirname "$0")/common.sh"

places=()
for place in Sources Tests Examples Benchmarks Embedded Fleet/Package.swift Fleet/Demo Fleet/Sources Fleet/Tests Package.swift; do
    [[ ! -e $place ]] || places+=("$place")
done

if [[ ${1:-} == --check ]]; then
    swift format lint --strict --parallel --recursive "${places[@]}" ||
        fail "the sources break the rules of .swift-format; make format repairs most of it"
else
    swift format --in-place --parallel --recursive "${places[@]}"
fi
