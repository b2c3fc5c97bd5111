#!/usr/bin/env bash
# Builds the reference device, compares its size and cost with what Embedded/README.md says, and runs it on two
# boards in emulators. It needs what scripts/build-embedded.sh and scripts/build.sh leave.
source "$(dirname "$0")/common.sh"

step "What the receiver takes of a microcontroller"
Embedded/Device/build.sh
Embedded/figures.sh

step "The reference device on two boards (QEMU)"
use_firmware
python3 Embedded/Device/test/run.py --jobs 3 --tool "${BLEOTA_TOOL:-.build/release/bleota}" ||
    fail "the reference device fails; see above"
