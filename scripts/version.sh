#!/usr/bin/env bash
# Prints the version of the sources: that of the tool.
source "$(dirname "$0")/common.sh"

version=$(sed -n 's/.*versionNumber = "\([^"]*\)".*/\1/p' Sources/BLEOTATool/Bleota.swift)
[[ -n $version ]] || fail "Sources/BLEOTATool/Bleota.swift has no versionNumber"
printf '%s\n' "$version"
