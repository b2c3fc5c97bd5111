#!/usr/bin/env bash
# Runs the vectors of the specification on microcontrollers in QEMU and on this host, with the same
# program, and compares what they print line by line. Quiet but for a line for each machine;
# prints what differs or fails.
source "$(dirname "$0")/../../scripts/common.sh"

programs=$(toolchain_programs)
here=Embedded/Conformance
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# No run takes more than some seconds.
seconds_max=120

all_files=(control data checksum arithmetic manifest encoding transfers)

main() {
    build_for_host "$work/host"
    expect "${all_files[@]}"
    try_on_cortex_m4
    try_on_riscv
}

# What the host makes of some of the files is what every machine has to make of them.
expect() {
    python3 $here/pack.py "$@" "$work/vectors" || fail "the vectors could not be packed; see above"
    link_for_host "$work/host"
    "$work/host/conformance" >"$work/expected" || refuse "$work/expected" "on the host"
}

try_on_cortex_m4() {
    local options=(-mcpu=cortex-m4 -mthumb -mfloat-abi=soft)
    build_for cortex-m4 armv7em-none-none-eabi mps2-an386.ld cortex-m.c "${options[@]}"
    compare "Cortex-M4 (QEMU)" qemu-system-arm -M mps2-an386 -kernel "$work/cortex-m4/conformance"
}

try_on_riscv() {
    local options=(-march=rv32imac -mabi=ilp32)
    build_for riscv riscv32-none-none-eabi riscv32-virt.ld riscv.c "${options[@]}"
    compare "RISC-V (QEMU)" qemu-system-riscv32 -M virt -bios none \
        -kernel "$work/riscv/conformance"
}

# Runs a machine and holds what it prints against the host.
compare() {
    local machine=$1 status=0
    shift
    timeout "$seconds_max" "$@" -semihosting-config enable=on,target=native -nographic \
        >"$work/output" 2>&1 </dev/null || status=$?
    diff "$work/expected" "$work/output" >"$work/difference" || {
        head -20 "$work/difference" >&2
        fail "the host (<) and $machine (>) differ; see above"
    }
    [[ $status -eq 0 ]] || fail "$machine ended with status $status"
    printf 'conformance: %s vectors, the same on %s and on the host\n' \
        "$(sed -n 's/^== all: \([0-9]*\) run, 0 failed$/\1/p' "$work/output" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta')" \
        "$machine"
}

refuse() {
    grep -A 2 -E 'FAILED|TRAPPED|^==' "$1" >&2
    fail "vectors fail $2; see above"
}

# Compiles and links for one microcontroller; the words after its files are for its C compiler.
build_for() {
    local folder=$work/$1 target=$2 script=$3 machine=$4 option
    shift 4
    local options=(-target "$target" -enable-experimental-feature Embedded
        -Xfrontend -function-sections -Xfrontend -disable-stack-protector)
    for option in "$@"; do
        options+=(-Xcc "$option")
    done
    mkdir "$folder"
    compile_all "$folder" "${options[@]}"
    compile_c "$folder" --target="$target" "$@" -ffreestanding -ffunction-sections -- \
        vectors.c semihosting.c builtins.c "$machine"
    "$programs/ld.lld" --gc-sections -L $here/Platform -T "$script" \
        -o "$folder/conformance" "$folder"/*.o || fail "the program for $target does not link"
}

build_for_host() {
    mkdir "$1"
    compile_all "$1"
    compile_c "$1" -- host.c
}

link_for_host() {
    compile_c "$1" -- vectors.c
    swiftc "$1"/*.o -o "$1/conformance" || fail "the program for the host does not link"
}

compile_all() {
    local folder=$1
    shift
    compile BLEOTAWire Sources/BLEOTAWire "$folder" "$@"
    compile BLEOTACore Sources/BLEOTACore "$folder" "$@"
    compile Conformance $here/Sources "$folder" "$@"
}

# The language rules are those of Package.swift.
compile() {
    local module=$1 place=$2 folder=$3 sources
    shift 3
    mapfile -d '' sources < <(find "$place" -name '*.swift' -print0 | sort -z)
    swiftc "$@" \
        -parse-as-library -wmo -Osize \
        -swift-version 6 -warnings-as-errors \
        -enable-upcoming-feature ExistentialAny \
        -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature NonisolatedNonsendingByDefault \
        -package-name bleota -module-name "$module" -I "$folder" -I $here/Platform \
        -emit-module -emit-module-path "$folder/$module.swiftmodule" \
        -c "${sources[@]}" -o "$folder/$module.o" ||
        fail "$module does not compile; see the errors above"
}

# Compiles files of Platform; options come before `--`.
compile_c() {
    local folder=$1 options=() file
    shift
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    for file in "$@"; do
        "$programs/clang" "${options[@]}" -O2 -fno-builtin -Wall -Wextra -Werror \
            -DVECTORS="\"$work/vectors\"" \
            -c "$here/Platform/$file" -o "$folder/${file%.c}.o" ||
            fail "$file does not compile; see the errors above"
    done
}

main
