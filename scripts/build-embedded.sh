#!/usr/bin/env bash
# Builds the receiver for microcontrollers as a static library with its C headers:
#
#     scripts/build-embedded.sh [TARGET…]     all of them if none is named:
#
#     armv7em, armv7em-hf               Cortex-M4 and M7
#     armv8m.main, armv8m.main-hf       Cortex-M33, M35P, M55 and M85
#     armv6m                            Cortex-M0, M0+ and M1
#     riscv32                           RV32IMAC, and RV32IMC once it is linked
#     host                              this machine
#
# -hf is for the ABI that passes numbers in floating-point registers (-mfloat-abi=hard).
#
# It leaves .build-embedded/TARGET/libBLEOTAReceiverC.a and .build-embedded/TARGET/include, and the
# modules for firmware in Swift in .build-embedded/TARGET/modules.
#
# The library is one object with the functions of the header and what they reach: the modules are
# compiled to bitcode, and the linker of the toolchain optimizes them together, which makes them a
# sixth smaller. Whoever links the firmware needs no link-time optimization for that, nor a linker
# that reads this bitcode. (swift build can't: it looks for objects where there is bitcode.)
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/embedded-swift.sh"

main() {
    local target
    [[ $# -gt 0 ]] || set -- "${embedded_targets[@]}" host
    for target in "$@"; do
        processor_options "$target" >/dev/null
        has_embedded_swift "$target" ||
            fail "this Swift has no standard library for $target; swift.org's 6.3 has one"
        build "$target"
    done
}

build() {
    local target=$1 folder=.build-embedded/$1
    rm -rf "$folder"
    mkdir -p "$folder/modules" "$folder/include"
    compile "$target" "$folder/modules" BLEOTAWire
    compile "$target" "$folder/modules" BLEOTAManifest
    compile "$target" "$folder/modules" BLEOTACore
    compile "$target" "$folder/modules" BLEOTADevice
    compile "$target" "$folder/modules" BLEOTAReceiverC -I Sources/SystemLibraries/CBLEOTAReceiver \
        -emit-clang-header-path "$folder/modules/BLEOTAReceiverC-Swift.h"
    cp Sources/SystemLibraries/CBLEOTAReceiver/bleota_types.h "$folder/include/"
    python3 Embedded/Library/make-text.py header spec/registry.md >"$folder/include/bleota_reasons.h"
    python3 Embedded/Library/make-header.py "$folder/modules/BLEOTAReceiverC-Swift.h" \
        Sources/BLEOTAReceiverC/Functions.swift >"$folder/include/bleota_receiver.h"
    optimize_as_whole "$target" "$folder"
    archive "$target" "$folder"
    printf '%s\n' "$folder/libBLEOTAReceiverC.a"
}

compile() {
    local target=$1 folder=$2 module=$3
    shift 3
    compile_embedded "$target" "$module" "Sources/$module" "$folder" \
        -package-name bleota -lto=llvm-full "$@"
}

# Makes one object of the modules: what the functions of the header reach.
optimize_as_whole() {
    local target=$1 folder=$2 functions pie=()
    # Linux's compilers link programs that run at any address, if they are not told otherwise.
    [[ $target != host ]] || pie=(-pie)
    functions=$(grep -oE '\bbleota_[a-z0-9_]+\(' "$folder/include/bleota_receiver.h" |
        sed 's/^/--undefined=/; s/($//')
    # Of what is linked here only the object counts that comes of the optimization. The second round
    # of passes sees what the first one inlined, and makes it a hundredth smaller.
    # shellcheck disable=SC2086 # Several options.
    "$programs/ld.lld" "${pie[@]}" --gc-sections --entry=0 --unresolved-symbols=ignore-all $functions \
        --lto-newpm-passes='lto<Oz>,lto<Oz>' --lto-obj-path="$folder/bleota_receiver.o" -o /dev/null "$folder"/modules/*.o ||
        fail "the modules could not be optimized as a whole; see above"
    # GNU ld does not know the list of libraries that LLVM leaves in an object, and says so of each.
    "$programs/llvm-objcopy" --remove-section=.deplibs "$folder/bleota_receiver.o"
}

# The library has what was optimized as a whole, and objects that are linked only where they are needed: the texts,
# and what only ARM's compilers call, functions for memory that a C library may lack.
archive() {
    local target=$1 folder=$2 object
    local objects=("$folder/bleota_receiver.o" "$folder/bleota_text.o")
    python3 Embedded/Library/make-text.py source spec/registry.md Sources/SystemLibraries/CBLEOTAReceiver/bleota_types.h >"$folder/bleota_text.c"
    compile_c "$target" "$folder/bleota_text.c" "$folder/bleota_text.o" -I "$folder/include"
    rm "$folder/bleota_text.c"
    if [[ $target == arm* ]]; then
        compile_c "$target" Embedded/Library/Runtime/aeabi_memory.c "$folder/aeabi_memory.o" -I Embedded/Library/Runtime
        objects+=("$folder/aeabi_memory.o")
    fi
    for object in "${objects[@]}"; do python3 Embedded/Library/state-enum-size.py "$object"; done
    "$programs/llvm-ar" crs "$folder/libBLEOTAReceiverC.a" "${objects[@]}"
    rm "${objects[@]}"
}

# compile_c TARGET SOURCE OBJECT [OPTION…]
compile_c() {
    local target=$1 source=$2 object=$3 options
    shift 3
    mapfile -t options < <(processor_options "$target")
    [[ $target != host ]] || options+=(-fPIC)
    "$programs/clang" "${options[@]}" -std=c11 -ffreestanding -fno-builtin -Os -Wall -Wextra -Werror \
        -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables "$@" \
        -c "$source" -o "$object" || fail "$source does not compile for $target; see above"
}

main "$@"
