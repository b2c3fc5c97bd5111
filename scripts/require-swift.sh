#!/usr/bin/env bash
# Stops with a sentence unless the Swift that Package.swift asks for (or a later one) can be run.
source "$(dirname "$0")/common.sh"

required=$(sed -n '1s/.*swift-tools-version: *\([0-9.]*\).*/\1/p' Package.swift)
remedy="Get it from https://www.swift.org/install/linux/ or with swiftly \
(https://www.swift.org/swiftly/: \`swiftly install latest\`), then run this again."

# Prints MAJOR.MINOR, or nothing when `swift` does not start or is some other program.
found_version() {
    swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' |
        head -n 1
}

program=$(command -v swift) ||
    fail "bleota needs Swift $required or later, and no swift was found in PATH. $remedy"

found=$(found_version) || true
if [[ -z $found ]]; then
    # A toolchain unpacked on a bare system lacks shared libraries that its programs are linked to.
    scripts/packages.sh swift
    found=$(found_version) || true
fi
if [[ -z $found ]]; then
    said=$(swift --version 2>&1 | head -n 1) || true
    fail "bleota needs Swift $required or later, but $program says \"$said\". $remedy"
fi
if [[ $(printf '%s\n' "$required" "$found" | sort -V | head -n 1) != "$required" ]]; then
    fail "bleota needs Swift $required or later, but $program is $found. $remedy"
fi
