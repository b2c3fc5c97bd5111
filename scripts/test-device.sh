#!/usr/bin/env bash
# Builds the reference device, compares its size and cost with what Embedded/README.md says, and runs it on two
# boards in emulators. It needs what scripts/build-embedded.sh and scripts/build.sh leave.
source "$(dirname "$0")/common.sh"

# The library that many devices verify signatures with, where this release of Debian has its sources.
build_with_mbedtls() {
    local program status=0
    scripts/fetch-mbedtls.sh .build-mbedtls || status=$?
    case $status in
    0) ;;
    77) return ;;
    *) fail "mbed TLS could not be fetched; see above" ;;
    esac
    for program in measure-mbedtls verifier-mbedtls; do
        Embedded/Device/build.sh mps2-an386 $program
    done
}

step "What the receiver takes of a microcontroller"
Embedded/Device/build.sh
build_with_mbedtls
scripts/embedded-figures.sh

step "The reference device on two boards (QEMU)"
use_firmware
python3 Tests/Device/run.py --jobs 2 --tool "${BLEOTA_TOOL:-.build/release/bleota}" ||
    fail "the reference device fails; see above"
