#!/usr/bin/env bash
# Builds the receiver for microcontrollers, and runs it in emulators.
source "$(dirname "$0")/common.sh"

tool=${BLEOTA_TOOL:-.build/release/bleota}

step "The receiver as Embedded Swift, without heap"
scripts/embedded.sh

step "Libraries for three kinds of processor"
scripts/build-embedded.sh

step "Integration guides"
Embedded/Guides/check.sh

step "Vectors of the specification on microcontrollers (QEMU)"
Embedded/Conformance/run.sh

step "What the receiver takes of a microcontroller"
Embedded/Device/build.sh
Embedded/figures.sh

step "The reference device on two boards (QEMU)"
if [[ -z ${BLEOTA_FIRMWARE_DIR:-} ]] && command -v apt-get >/dev/null; then
    BLEOTA_FIRMWARE_DIR=$(scripts/fetch-firmware.sh .build-firmware)
    export BLEOTA_FIRMWARE_DIR
fi
python3 Embedded/Device/test/run.py --jobs 3 --tool "$tool" || fail "the reference device fails; see above"

printf '\nmake test-embedded: everything passed in %d min %d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
