#!/usr/bin/env bash
# Builds the tool without Bluetooth and without patches, shows that it needs neither libdbus nor libzstd, and
# pushes a file with it. The folder is that of scripts/examples.sh, which has compiled the dependencies if it has run.
source "$(dirname "$0")/common.sh"

build=.build-examples
# As in scripts/examples.sh.
SWIFT_DETERMINISTIC_HASHING=1 swift build --scratch-path $build --traits Signatures --product bleota
if ldd $build/debug/bleota | grep -E 'libdbus|libzstd'; then fail "the tool is linked to the libraries above"; fi
$build/debug/bleota push README.md --loopback --quiet
