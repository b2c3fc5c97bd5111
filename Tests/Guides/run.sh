#!/usr/bin/env bash
# Builds the device for Linux out of the archive that makers get, and pushes to it. It needs what
# scripts/embedded-release.sh and scripts/build.sh leave.
source "$(dirname "$0")/../../scripts/common.sh"

archive=.build-embedded/unpacked/host
[[ -e $archive/libBLEOTAReceiverC.a ]] || fail "there is no archive for host; run: scripts/embedded-release.sh"
python3 Tests/Guides/linux_device.py "$archive" --tool "${BLEOTA_TOOL:-.build/release/bleota}" ||
    fail "the device for Linux does not do what its page says; see above"
