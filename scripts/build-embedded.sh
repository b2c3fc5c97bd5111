#!/usr/bin/env bash
# Builds the receiver for microcontrollers as a static library with its C headers:
#
#     scripts/build-embedded.sh [TARGET…]     armv7em, armv6m, riscv32; all of them if none is named
#
# It leaves .build-embedded/TARGET/libBLEOTAReceiverC.a and .build-embedded/TARGET/include.
source "$(dirname "$0")/common.sh"

main() {
    local target
    [[ $# -gt 0 ]] || set -- armv7em armv6m riscv32
    for target in "$@"; do
        [[ -e Embedded/toolsets/$target.json ]] ||
            fail "no such target: $target (there are armv7em, armv6m and riscv32)"
        build "$target"
    done
}

build() {
    local target=$1 folder=.build-embedded/$1 products
    local options=(-c release --triple "$target-none-none-eabi"
        --toolset "Embedded/toolsets/$target.json" --scratch-path "$folder/build")
    quietly swift build "${options[@]}" --product BLEOTAReceiverC ||
        fail "the library for $target could not be built; see above"
    products=$(swift build "${options[@]}" --show-bin-path)
    mkdir -p "$folder/include"
    cp "$products/libBLEOTAReceiverC.a" "$folder/"
    cp Sources/CBLEOTAReceiver/bleota_types.h "$folder/include/"
    python3 Embedded/make-header.py "$(generated_header "$products")" \
        Sources/BLEOTAReceiverC/Functions.swift >"$folder/include/bleota_receiver.h"
    printf '%s\n' "$folder/libBLEOTAReceiverC.a"
}

generated_header() {
    find "$1" -name 'BLEOTAReceiverC-Swift.h' -print -quit
}

main "$@"
