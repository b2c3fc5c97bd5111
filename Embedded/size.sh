#!/usr/bin/env bash
# What the receiver takes of a microcontroller, and that it has no heap:
#
#     Embedded/size.sh            compare with Embedded/README.md
#     Embedded/size.sh --update   write the figures there
#
# It links what a device calls at least (start, both takes, run) of the libraries that
# scripts/build-embedded.sh left, without what it does not reach. What every C compiler for the target
# brings along (memcpy, division of 64-bit numbers) is not counted.
source "$(dirname "$0")/../scripts/common.sh"

programs=$(toolchain_programs)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

page=Embedded/README.md
functions=(bleota_receiver_start bleota_receiver_take_control bleota_receiver_take_data
    bleota_receiver_run)

main() {
    measure >"$work/table"
    case ${1:-} in
    --update) update ;;
    "") compare ;;
    *) fail "usage: Embedded/size.sh [--update]" ;;
    esac
}

measure() {
    local target
    printf '| | Cortex-M4 | Cortex-M0 | RISC-V, 32 bits |\n| --- | --- | --- | --- |\n'
    for target in armv7em armv6m riscv32; do
        link "$target"
    done
    row "machine: sessions, chunks, account" 'BLEOTACore[.]' 'ManifestFields|BLEOTADevice'
    row "frames and checksums" 'BLEOTAWire[.]' 'Manifest|BLEOTACore|BLEOTADevice'
    row "manifest: parsing, acceptance" 'Manifest' 'FlashStore|ReceiverState'
    row "SHA-256" 'BLEOTADevice[.](SHA256|[(]roundConstants)' 'FlashStore'
    row "store in flash, main loop" 'BLEOTADevice' 'BLEOTADevice[.](SHA256|[(]roundConstants)|ManifestFields[.)]'
    row "functions for C" 'BLEOTAReceiverC|bleota_' 'BLEOTADevice|Manifest'
    printf '| **code and constants** | **%s** | **%s** | **%s** |\n' \
        "$(total armv7em)" "$(total armv6m)" "$(total riscv32)"
}

link() {
    local folder=.build-embedded/$1 roots
    roots=("${functions[@]/#/--undefined=}")
    [[ -e $folder/libBLEOTAReceiverC.a ]] || fail "there is no library for $1: scripts/build-embedded.sh"
    "$programs/ld.lld" --gc-sections --entry=0 --unresolved-symbols=ignore-all "${roots[@]}" \
        -o "$work/$1" --whole-archive "$folder/libBLEOTAReceiverC.a"
    # The allocator's doors are open in the archive, and nothing that a device calls goes through.
    if calls_allocator "$1"; then fail "the receiver for $1 asks for a heap; see above"; fi
    "$programs/llvm-nm" --print-size --radix=d "$work/$1" | "$programs/swift-demangle" -compact \
        >"$work/$1.symbols"
}

calls_allocator() {
    "$programs/llvm-nm" "$work/$1" | grep -wE 'malloc|free|posix_memalign|swift_(slowA|a)lloc[A-Za-z]*' >&2
}

# The bytes of symbols whose names match one expression and not another, for each target.
row() {
    local target
    printf '| %s |' "$1"
    for target in armv7em armv6m riscv32; do
        awk -v is="$2" -v not="$3" \
            '$0 ~ is && $0 !~ not { sum += $2 } END { printf " %d |", sum }' "$work/$target.symbols"
    done
    printf '\n'
}

# All of it, with what has no name.
total() {
    local size sum=0
    while read -r size; do
        sum=$((sum + 16#$size))
    done < <("$programs/llvm-objdump" --section-headers "$work/$1" |
        awk '$2 ~ /^\.(text|rodata|data|bss)/ { print $3 }')
    printf '%d' "$sum"
}

update() {
    awk -v table="$work/table" '
        /<!-- size -->/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
        /<!-- end -->/ { skip = 0 }
        !skip' "$page" >"$work/page"
    cp "$work/page" "$page"
}

# Another compiler makes other code: figures are compared with the same one only.
compare() {
    local compiler
    compiler=$(swift --version 2>/dev/null | grep -oE 'Swift version [0-9.]+' | head -n 1)
    cat "$work/table"
    if ! grep -qF "$compiler" "$page"; then
        printf 'size: %s has the figures of another compiler than %s\n' "$page" "$compiler"
        return
    fi
    sed -n '/<!-- size -->/,/<!-- end -->/p' "$page" | sed '1d;$d' | diff - "$work/table" ||
        fail "$page (<) does not say what was measured (>): Embedded/size.sh --update"
}

main "$@"
