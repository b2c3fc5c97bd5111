#!/usr/bin/env bash
# Builds the tool without Bluetooth and without patches, shows that it needs neither libdbus nor libzstd, and
# pushes a file with it.
source "$(dirname "$0")/common.sh"

swift build --scratch-path .build-plain --traits Signatures --product bleota
if ldd .build-plain/debug/bleota | grep -E 'libdbus|libzstd'; then fail "the tool is linked to the libraries above"; fi
.build-plain/debug/bleota push README.md --loopback --quiet
