#!/usr/bin/env bash
# Proves that BLEOTAWire, BLEOTAManifest, BLEOTACore and BLEOTADevice are Embedded Swift that needs no heap and no
# operating system: compiles them for microcontrollers, links every function, and looks at what the
# linked code still asks for. Prints how much code it is.
#
# Why not the compiler's -no-allocations: for 32-bit targets it refuses any UInt64(x), although the
# instructions that come of it allocate nothing. The linker looks at the instructions.
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/embedded-swift.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copying and clearing memory, and arithmetic that the processor lacks: what every C compiler for
# the target brings along.
brought_along='^(mem(cpy|move|set|cmp)|__aeabi_[a-z0-9]+|__[a-z]+[sd]i[23])$'

main() {
    local target
    has_embedded_swift armv7em || fail "this Swift has no Embedded Swift for armv7em"
    for target in armv7em armv6m riscv32; do
        ! has_embedded_swift "$target" || prove_for "$target"
    done
}

prove_for() {
    local target=$1 folder=$work/$1 module
    mkdir "$folder"
    for module in BLEOTAWire BLEOTAManifest BLEOTACore BLEOTADevice; do
        compile_embedded "$target" "$module" "Sources/$module" "$folder" -package-name bleota
    done
    link "$folder/wire" "$folder/BLEOTAWire.o"
    link "$folder/both" "$folder/BLEOTAWire.o" "$folder/BLEOTACore.o"
    link "$folder/all" "$folder"/BLEOTA{Wire,Manifest,Core,Device}.o
    printf '%-8s BLEOTAWire %6d B, with BLEOTACore %6d B of code, no heap\n' "$target" \
        "$(code_byte_count "$folder/wire")" "$(code_byte_count "$folder/both")"
}

# Links our functions and what they reach, nothing else, and fails on whatever that leaves open
# (posix_memalign is the heap's door) with the names of the functions that ask for it.
link() {
    local linked=$1 refused
    shift
    functions_of "$@" | sed "s/.*/--undefined='&'/" >"$linked.roots"
    local command=("$programs/ld.lld" --gc-sections --entry=0 --warn-unresolved-symbols
        --error-limit=0 -o "$linked" "@$linked.roots" "$@")
    "${command[@]}" 2>"$linked.log" ||
        { cat "$linked.log" >&2; fail "the objects could not be linked; see above"; }
    refused=$(awk -v allowed="$brought_along" \
        'BEGIN { RS = ""; ORS = "\n\n" } /undefined symbol: / && $5 !~ allowed' "$linked.log")
    [[ -n $refused ]] || return 0
    # Who calls the allocator? A linker too old for --why-live (LLVM 21) leaves that out.
    {
        printf '%s\n\n' "$refused"
        "${command[@]}" --why-live='*swift_*[aA]lloc*' 2>/dev/null || true
    } | "$programs/swift-demangle" >&2
    fail "the code above asks for what a microcontroller does not have"
}

# The functions that have to do without heap: all of ours, but for what the compiler adds to types
# of its own accord, and what counts only if one of ours calls it: hash values, which are seeded at
# random, and accessors that modify in place, whose frame may be allocated.
functions_of() {
    "$programs/llvm-nm" --defined-only --extern-only --just-symbol-name "$@" |
        grep BLEOTA | grep -vE '[hH]ashValue|iM(\.resume\.[0-9]+)?$'
}

# The size of all sections with code. An index table of exceptions, as ARM adds it, is none.
code_byte_count() {
    local size total=0
    while read -r size; do
        total=$((total + 16#$size))
    done < <("$programs/llvm-objdump" --section-headers "$1" | awk '$NF == "TEXT" { print $3 }')
    printf '%d\n' "$total"
}

main
