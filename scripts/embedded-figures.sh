#!/usr/bin/env bash
# What the receiver takes of a microcontroller, and that it has no heap:
#
#     scripts/embedded-figures.sh            compare with Embedded/README.md
#     scripts/embedded-figures.sh --update   write the figures there
#
# Names: what the libraries that scripts/build-embedded.sh left ask of others. Size: it links what a device calls at
# least (start, both takes, run) without what it does not reach. What every C compiler for the target brings along
# (memcpy, division of 64-bit numbers) is not counted. Cost: instructions, counted by the emulator, of the programs that
# Embedded/Device/build.sh left. From one machine to another the code of the same compiler differs by some bytes, so a
# hundredth is no difference.
source "$(dirname "$0")/common.sh"
source "$(dirname "$0")/embedded-swift.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

page=Embedded/README.md
device=.build-embedded/device/mps2-an386
# What a program that verifies signatures of P-256 has for that.
p256_objects='p256|bignum|constant_time|ecdsa|ecp|ecp_curves|asn1parse|asn1write|memory_buffer_alloc|platform|platform_util'
# Less than that a Cortex-M4 has to need.
code_limit=8192
sizes_of=(armv7em armv8m.main armv6m riscv32)
functions=(bleota_receiver_start bleota_receiver_take_control bleota_receiver_take_data
    bleota_receiver_run)

main() {
    [[ $# -eq 0 || $* == --update ]] || fail "usage: scripts/embedded-figures.sh [--update]"
    name_what_is_open >"$work/names"
    measure_size >"$work/size"
    measure_cost >"$work/cost"
    measure_p256 >"$work/p256"
    if [[ $# -eq 0 ]]; then
        compare
    else
        update names
        update size
        update cost
        update p256
    fi
}

# A row for each name that a library does not define, or stands in for weakly.
name_what_is_open() {
    local target name askers place
    printf '| name | asked for by | where it is |\n| --- | --- | --- |\n'
    for target in "${embedded_targets[@]}"; do
        [[ -e .build-embedded/$target/libBLEOTAReceiverC.a ]] || fail "there is no library for $target: scripts/build-embedded.sh"
        "$programs/llvm-nm" --undefined-only --just-symbol-name ".build-embedded/$target/libBLEOTAReceiverC.a" |
            sed -n "s/^\([A-Za-z_][A-Za-z0-9_]*\)\$/\1 $target/p" | sort -u
    done >"$work/open"
    while read -r name; do
        askers=$(askers_of "$name")
        place=$(place_of "$name")
        printf '| \x60%s\x60 | %s | %s |\n' "$name" "$askers" "$place"
    done < <(cut -d ' ' -f 1 "$work/open" | sort -u)
}

askers_of() {
    local askers
    askers=$(awk -v name="$1" '$1 == name { print $2 }' "$work/open")
    if [[ $(wc -l <<<"$askers") -eq ${#embedded_targets[@]} ]]; then
        printf 'all'
    else
        paste -s -d , <<<"$askers" | sed 's/,/, /g'
    fi
}

place_of() {
    case $1 in
    __aeabi_mem*) printf 'this library, where the C library has none' ;;
    mem*) printf 'every C library' ;;
    __aeabi_*) printf "the compiler's library: libgcc, compiler-rt" ;;
    *) fail "the library asks for $1, and nothing says where it is" ;;
    esac
}

measure_size() {
    local target
    printf '| | Cortex-M4 | Cortex-M33 | Cortex-M0 | RISC-V, 32 bits |\n| --- | --- | --- | --- | --- |\n'
    for target in "${sizes_of[@]}"; do
        link "$target"
    done
    [[ $(byte_count armv7em text) -lt $code_limit ]] ||
        fail "the receiver for a Cortex-M4 has $(byte_count armv7em text) bytes of code; the limit is $code_limit"
    row "code (.text)" text
    row "constants (.rodata)" rodata
    row "variables (.data, .bss)" '(data|bss)'
}

link() {
    local folder=.build-embedded/$1 roots
    roots=("${functions[@]/#/--undefined=}")
    [[ -e $folder/libBLEOTAReceiverC.a ]] || fail "there is no library for $1: scripts/build-embedded.sh"
    # Without the other members of the library: texts, and what stands in for what a C library may lack.
    "$programs/llvm-ar" p "$folder/libBLEOTAReceiverC.a" bleota_receiver.o >"$work/$1.o"
    "$programs/ld.lld" --gc-sections --entry=0 --unresolved-symbols=ignore-all "${roots[@]}" \
        -o "$work/$1" "$work/$1.o"
    if calls_allocator "$1"; then fail "the receiver for $1 asks for a heap; see above"; fi
}

calls_allocator() {
    "$programs/llvm-nm" "$work/$1" | grep -wE 'malloc|free|posix_memalign|swift_(slowA|a)lloc[A-Za-z]*' >&2
}

# The bytes of a kind of section, for each target.
row() {
    local target
    printf '| %s |' "$1"
    for target in "${sizes_of[@]}"; do
        printf ' %d |' "$(byte_count "$target" "$2")"
    done
    printf '\n'
}

byte_count() {
    local size sum=0
    while read -r size; do
        sum=$((sum + 16#$size))
    done < <("$programs/llvm-objdump" --section-headers "$work/$1" |
        awk -v kind="^[.]$2" '$2 ~ kind { print $3 }')
    printf '%d' "$sum"
}

measure_cost() {
    count_instructions measure >"$work/m4"
    count_instructions measure-m0 >"$work/m0"
    printf '| instructions | Cortex-M4 | code for a Cortex-M0 |\n| --- | --- | --- |\n'
    cost "to check and place a frame of 244 bytes" take_data_per_frame
    cost "of that, its checksum" checksum_of_244_bytes
    cost "for each such frame to hash, program and verify, in the mean" run_per_frame
    cost "SHA-256 of a block of 4,096 bytes" sha256_of_4096_bytes
    cost "the longest that one call of run takes" run_longest
    cost "the most stack, in bytes" stack_peak
}

count_instructions() {
    timeout 120 qemu-system-arm -M mps2-an386 -icount shift=0 -nographic -monitor none -serial null \
        -kernel "$device/$1.elf" \
        -semihosting-config enable=on,target=native 2>&1 ||
        fail "$1 does not run in the emulator; Embedded/Device/build.sh makes it"
}

# The value of one member of what a program printed, for both cores.
cost() {
    local file
    printf '| %s |' "$1"
    for file in "$work/m4" "$work/m0"; do
        printf ' %s |' "$(member "$2" "$file")"
    done
    printf '\n'
}

member() {
    grep -oE "\"$1\":[0-9]+" "$2" | cut -d : -f 2
}

# What it takes to verify a signature of P-256, with p256.c and with a library. Of mbed TLS the page is believed where
# it was not built (Embedded/Device/build.sh says how).
measure_p256() {
    local program=$device/measure-mbedtls
    if [[ -e $program.elf ]]; then
        count_instructions measure-mbedtls >"$work/mbedtls"
    fi
    printf '| a signature of P-256 | p256.c, Cortex-M4 | p256.c, code for a Cortex-M0 | mbed TLS 2.28, Cortex-M4 |\n'
    printf '| --- | --- | --- | --- |\n'
    p256_row "code and constants, in bytes" linked_byte_count
    p256_row "instructions to verify it" member_of p256_is_signature
    p256_row "stack, in bytes" member_of p256_stack
}

# The rest of the words are a function that takes the name of a program.
p256_row() {
    local what=$1 program
    shift
    printf '| %s |' "$what"
    for program in measure measure-m0 measure-mbedtls; do
        if [[ -e $device/$program.elf ]]; then
            printf ' %s |' "$("$@" "$program")"
        else
            printf ' %s |' "$(awk -F ' *[|] *' -v what="$what" '$2 == what { print $5 }' "$page")"
        fi
    done
    printf '\n'
}

# shellcheck disable=SC2317  # p256_row calls it
# Of what verifies signatures, the bytes of code and constants that were linked.
linked_byte_count() {
    local size sum=0
    while read -r size; do
        sum=$((sum + 16#$size))
    done < <(awk -v object="/($p256_objects)[.]o:[(][.](text|rodata)" '$0 ~ object { print $3 }' "$device/$1.map")
    printf '%d' "$sum"
}

# shellcheck disable=SC2317  # p256_row calls it
member_of() {
    local output=$work/m4
    [[ $2 != measure-m0 ]] || output=$work/m0
    [[ $2 != measure-mbedtls ]] || output=$work/mbedtls
    member "$1" "$output"
}

update() {
    awk -v begin="<!-- $1 -->" -v table="$work/$1" '
        $0 == begin { print; while ((getline line < table) > 0) print line; skip = 1; next }
        $0 == "<!-- end -->" { skip = 0 }
        !skip' "$page" >"$work/page"
    cp "$work/page" "$page"
}

# Another compiler makes other code: figures are compared with the same one only.
compare() {
    local compiler name
    compiler=$(swift --version 2>/dev/null | grep -oE 'Swift version [0-9]+\.[0-9]+' | head -n 1)
    cat "$work/names" "$work/size" "$work/cost" "$work/p256"
    if ! grep -qF "$compiler" "$page"; then
        printf '%s has the figures of another compiler than %s\n' "$page" "$compiler"
        return
    fi
    for name in names size cost p256; do
        sed -n "/^<!-- $name -->/,/^<!-- end -->/p" "$page" | sed '1d;$d' >"$work/said"
        says_the_same "$work/said" "$work/$name" ||
            fail "$page does not say what was measured: scripts/embedded-figures.sh --update"
    done
}

# Whether the page says what a table says, but for a hundredth of a number.
says_the_same() {
    awk -F '|' -v said="$1" '
        {
            if ((getline line < said) <= 0 || split(line, cells, "|") != NF) exit different = 1
            for (i = 1; i <= NF; i++) {
                difference = $i - cells[i]
                if ($i ~ /[0-9]/ && cells[i] ~ /[0-9]/ && $i !~ /[a-z]/) {
                    if (difference * difference * 10000 > $i * $i) exit different = 1
                } else if ($i != cells[i]) exit different = 1
            }
        }
        END { exit different || (getline line < said) > 0 }' "$2"
}

main "$@"
