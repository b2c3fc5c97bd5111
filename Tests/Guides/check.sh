#!/usr/bin/env bash
# Compiles the sources of the guides, with warnings as errors, against the headers of the library
# and those of stubs/, and links them with the library:
#
#     Tests/Guides/check.sh
#
# The main loop of bare C is also compiled and linked with GNU's tools, for each ARM library: that linker refuses
# objects of another ABI, and says so where an object has what it does not know.
#
# What is left open may only be a function that stubs/ or a board declares: so each function of
# bleota that a guide uses is in the library. It needs what scripts/embedded-release.sh left. Then it
# has swift build make the library with the toolset of each processor, as a package would.
source "$(dirname "$0")/../../scripts/common.sh"
source "$(dirname "$0")/../../scripts/embedded-swift.sh"

# The sources and libraries are those of the archives that makers get.
archives=.build-embedded/unpacked
guides=$archives/armv7em/guides
here=Tests/Guides
stubs=$here/stubs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What every C compiler for the target and the smallest C library bring along: no names of ARM's own
# for memcpy and its relatives, which Zephyr's minimal library lacks.
brought_along='mem(cpy|move|set|cmp)|__aeabi_[a-ln-z][a-z0-9]+|__[a-z]+[sd]i[23]'
arm_memory='__aeabi_mem[a-z0-9]+'

main() {
    make_keys
    for target in "${embedded_targets[@]}"; do require_library "$target"; done
    links_with_gnu
    guide bare-c armv7em "$guides/bare-c" -- firmware main.c ../trust/trust_psa.c -- boot boot.c
    key=$work/ed25519
    guide bare-c armv6m "$guides/bare-c" -- firmware main.c ../trust/trust_monocypher.c -- boot boot.c
    key=$work/p256
    configuration=("$guides/zephyr"/{Kconfig,prj.conf})
    guide zephyr armv7em "$stubs/zephyr" -- firmware main.c bleota_gatt.c bleota_slots.c ../trust/trust_psa.c
    configuration+=("$guides/zephyr/encrypted.conf")
    guide zephyr armv7em "$stubs/zephyr" -- encrypted main.c bleota_gatt.c bleota_slots.c ../trust/trust_psa.c
    configuration=("$guides/esp-idf"/{Kconfig.projbuild,sdkconfig.defaults})
    guide esp-idf riscv32 "$stubs/esp-idf" -- firmware main.c bleota_gatt.c bleota_partitions.c ../trust/trust_psa.c
    configuration+=("$guides/esp-idf/sdkconfig.encrypted")
    guide esp-idf riscv32 "$stubs/esp-idf" -- encrypted main.c bleota_gatt.c bleota_partitions.c ../trust/trust_psa.c
    embedded_swift armv7em
    package armv7em
    package armv6m
    package riscv32
}

# The folders with release_key.h, and the one of them that the next guides are compiled with.
make_keys() {
    mkdir "$work"/{p256,ed25519}
    python3 "$here/bundle.py" key "$work/p256/key" >"$work/p256/release_key.h"
    printf '#include <stdint.h>\nenum { bleota_key_algorithm = 1, bleota_key_count = 1 };\n' >"$work/ed25519/release_key.h"
    printf 'static const uint8_t bleota_key_ids[1][8] = { { 1 } }, bleota_keys[1][32] = { { 1 } };\n' >>"$work/ed25519/release_key.h"
    key=$work/p256
}

# Checks a guide for a target: the folder of the headers that declare what may be left open, then
# for each program `--`, its name and its sources.
guide() {
    local name=$1 target=$2 declarations=$3 program sources=()
    require_library "$target"
    shift 3
    while [[ $# -gt 0 ]]; do
        program=$2
        shift 2
        sources=()
        while [[ $# -gt 0 && $1 != -- ]]; do
            sources+=("$1")
            shift
        done
        build "$name" "$target" "$declarations" "$program" "${sources[@]}"
    done
    report "$name" "$target"
}

require_library() {
    local library=$archives/$1/libBLEOTAReceiverC.a
    [[ -e $library ]] || fail "there is no archive for $1; run: scripts/embedded-release.sh"
    # GNU ld does not know what LLVM's makes of it.
    ! "$programs/llvm-objdump" --section-headers "$library" | grep -F .deplibs >&2 ||
        fail "$library has a section that only LLVM's linker knows; see above"
}

links_with_gnu() {
    local target
    for target in "${embedded_targets[@]}"; do
        [[ $target != riscv32 ]] || continue
        link_with_gnu "$target" "$target" || fail "bare C does not link with GNU's tools for $target; see above"
        report "bare-c, GNU ld" "$target"
    done
    # A check that can't fail says nothing.
    if link_with_gnu armv7em-hf armv7em 2>"$work/log" || ! grep -q 'VFP register arguments' "$work/log"; then
        fail "GNU's linker joins the library for one ABI with code for another"
    fi
}

# link_with_gnu TARGET LIBRARY: code for a target with the library for another one or the same.
link_with_gnu() {
    local processor
    mapfile -t processor < <(processor_options "$1" | sed 1d)
    arm-none-eabi-gcc "${processor[@]}" -std=gnu11 -Os -ffunction-sections -Wall -Wextra -Werror \
        -I "$guides/bare-c" -I "$guides/trust" -I "$archives/$2/include" "$guides/bare-c/main.c" \
        "$archives/$2/libBLEOTAReceiverC.a" -nostartfiles -Wl,--gc-sections,--entry=main,--fatal-warnings \
        -Wl,--unresolved-symbols=ignore-all,-z,noexecstack -o "$work/gnu"
}

report() {
    printf '%-14s %-8s compiles and links\n' "$1" "$2"
}

# The firmware in Swift, with the modules that the library was built from.
embedded_swift() {
    local target=$1 folder=$work/embedded-swift
    require_library "$target"
    cp -r ".build-embedded/$target/modules" "$folder"
    compile_embedded "$target" Firmware "$guides/embedded-swift" "$folder" \
        -lto=llvm-full -I "$guides/embedded-swift"
    compile "$target" "$guides/trust/trust_psa.c" "$folder"
    link_guide embedded-swift "$target" "$guides/bare-c" "$folder" "$folder"/*.o
    report embedded-swift "$target"
}

# What the package of a firmware does with a toolset.
package() {
    quietly swift build -c release --triple "$1-none-none-eabi" --toolset "Embedded/Library/toolsets/$1.json" \
        --scratch-path .build-embedded/package --product BLEOTAReceiverC ||
        fail "swift build does not build the library with the toolset for $1; see above"
    printf '%-14s %-8s builds with the toolset\n' "swift build" "$1"
}

build() {
    local name=$1 target=$2 declarations=$3 folder=$work/$2-$1-$4 source objects=() options=()
    shift 4
    mkdir "$folder"
    if [[ $name != bare-c ]]; then
        python3 "$stubs/configuration.py" "${configuration[@]}" >"$folder/configuration.h"
        options+=(-include "$folder/configuration.h")
    fi
    for source in "$@"; do
        compile "$target" "$guides/$name/$source" "$folder" -I "$guides/$name" -I "$declarations" "${options[@]}"
        objects+=("$folder/$(basename "$source").o")
    done
    link_guide "$name" "$target" "$declarations" "$folder" "${objects[@]}"
}

# compile TARGET SOURCE FOLDER [OPTION…]
compile() {
    local target=$1 source=$2 folder=$3 processor
    shift 3
    mapfile -t processor < <(processor_options "$target")
    "$programs/clang" "${processor[@]}" -std=gnu11 -ffreestanding -Os -ffunction-sections -fdata-sections \
        -Wall -Wextra -Wshadow -Werror "$@" -I "$guides/trust" -I "$key" -I "$stubs/crypto" \
        -I "$stubs/libc" -I "$archives/$target/include" \
        -c "$source" -o "$folder/$(basename "$source").o" ||
        fail "$source does not compile; see above"
}

# Links what is reached from the entry, and looks at what that leaves open.
link_guide() {
    local name=$1 target=$2 declarations=$3 folder=$4 entry=main symbol open allowed=$brought_along
    shift 4
    [[ $name != esp-idf ]] || entry=app_main
    if [[ $name = embedded-swift ]]; then
        allowed+="|$arm_memory"
    else
        set -- "$@" "$archives/$target/libBLEOTAReceiverC.a"
    fi
    "$programs/ld.lld" --gc-sections --entry="$entry" --warn-unresolved-symbols --error-limit=0 \
        -o "$folder/linked" "$@" 2>"$folder/log" ||
        { cat "$folder/log" >&2; fail "the guide $name could not be linked; see above"; }
    open=$(sed -n 's/.*undefined symbol: //p' "$folder/log" | sort -u)
    for symbol in $open; do
        [[ $symbol =~ ^($allowed)$ ]] || is_declared "$symbol" "$declarations" ||
            fail "the guide $name uses $symbol: the library does not have it," \
                "and no header in $declarations declares it"
    done
}

# Whether a header declares a function or a variable of this name. No declaration of bleota's own
# counts.
is_declared() {
    [[ $1 != bleota_* ]] && grep -rqE "\b$1(\(|\[\]|;)" --include='*.h' "$2" "$stubs"/{libc,crypto}
}

main
