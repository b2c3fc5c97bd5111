#!/usr/bin/env bash
# Proves that BLEOTAWire, BLEOTACore and BLEOTADevice are Embedded Swift that needs no heap and no
# operating system: compiles them for microcontrollers, links every function, and looks at what the
# linked code still asks for. Prints how much code it is.
#
# Why not the compiler's -no-allocations: for 32-bit targets it refuses any UInt64(x), although the
# instructions that come of it allocate nothing. The linker looks at the instructions.
source "$(dirname "$0")/common.sh"

programs=$(toolchain_programs)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copying and clearing memory, and arithmetic that the processor lacks: what every C compiler for
# the target brings along.
brought_along='^(mem(cpy|move|set|cmp)|__aeabi_[a-z0-9]+|__[a-z]+[sd]i[23])$'

main() {
    prove_for armv7em-none-none-eabi -mcpu=cortex-m4 -mthumb -mfloat-abi=soft
    if has_standard_library armv6m-none-none-eabi; then
        prove_for armv6m-none-none-eabi -mcpu=cortex-m0 -mthumb -mfloat-abi=soft
    fi
    if has_standard_library riscv32-none-none-eabi; then
        prove_for riscv32-none-none-eabi -march=rv32imac -mabi=ilp32
    fi
}

has_standard_library() {
    [[ -e $programs/../lib/swift/embedded/Swift.swiftmodule/$1.swiftmodule ]]
}

# Compiles and links for one target; the words after its name are options for its C compiler.
prove_for() {
    local target=$1 folder=$work/$1 option
    local options=(-target "$target")
    shift
    for option in "$@"; do
        options+=(-Xcc "$option")
    done
    mkdir "$folder"
    compile BLEOTAWire "$folder" "${options[@]}"
    compile BLEOTACore "$folder" "${options[@]}"
    compile BLEOTADevice "$folder" "${options[@]}"
    link "$folder/wire" "$folder/BLEOTAWire.o"
    link "$folder/both" "$folder/BLEOTAWire.o" "$folder/BLEOTACore.o"
    link "$folder/all" "$folder/BLEOTAWire.o" "$folder/BLEOTACore.o" "$folder/BLEOTADevice.o"
    printf '%-24s BLEOTAWire %6d B, with BLEOTACore %6d B of code, no heap\n' "$target" \
        "$(code_byte_count "$folder/wire")" "$(code_byte_count "$folder/both")"
}

# The language rules are those of Package.swift.
compile() {
    local module=$1 folder=$2 sources
    shift 2
    mapfile -d '' sources < <(find "Sources/$module" -name '*.swift' -print0 | sort -z)
    [[ ${#sources[@]} -gt 0 ]] || fail "Sources/$module holds no Swift source"
    swiftc "$@" \
        -enable-experimental-feature Embedded \
        -parse-as-library -wmo -Osize \
        -Xfrontend -function-sections -Xfrontend -disable-stack-protector \
        -swift-version 6 -warnings-as-errors \
        -enable-upcoming-feature ExistentialAny \
        -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature NonisolatedNonsendingByDefault \
        -package-name bleota -module-name "$module" -I "$folder" \
        -emit-module -emit-module-path "$folder/$module.swiftmodule" \
        -c "${sources[@]}" -o "$folder/$module.o" ||
        fail "$module does not compile as Embedded Swift; see the errors above"
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
