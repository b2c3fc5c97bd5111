#!/usr/bin/env bash
# Runs the vectors of the specification on microcontrollers in QEMU and on this host, with the same
# program, and compares what they print line by line; then shows that a vector can fail. Prints a
# line for each machine, and what differs or fails.
source "$(dirname "$0")/../../scripts/common.sh"

programs=$(toolchain_programs)
here=Tests/Conformance
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A run takes a second or two.
seconds_max=120

# Of the present machine: how many vectors were the same, and the most stack that they took.
vector_count=0
stack_byte_count=0

all_files=(control data checksum arithmetic manifest encoding transfers)

main() {
    command -v qemu-system-arm >/dev/null || fail "there is no qemu-system-arm (qemu-system-arm)"
    mkdir "$work/host"
    compile_all host
    compile_c host -- $here/Platform/host.c
    try_cortex_m4
    try_cortex_m0
    try_riscv
}

try_cortex_m4() {
    build cortex-m4 armv7em-none-none-eabi cortex-m.c -mcpu=cortex-m4 -mthumb -mfloat-abi=soft
    machine=(qemu-system-arm -M mps2-an386)
    pack "${all_files[@]}"
    run cortex-m4 mps2-an386.ld
    report Cortex-M4
    see_failure cortex-m4 mps2-an386.ld
}

# Its flash holds some files at a time, of the manifests a half, and never encoding.json; its room is that of
# microbit.ld.
try_cortex_m0() {
    local files
    has_standard_library armv6m-none-none-eabi || return 0
    build cortex-m0 armv6m-none-none-eabi cortex-m.c -mcpu=cortex-m0 -mthumb -mfloat-abi=soft
    machine=(qemu-system-arm -M microbit)
    for files in "control checksum arithmetic" "data transfers" "--part 1/2 manifest" "--part 2/2 manifest"; do
        # shellcheck disable=SC2086 # Several names.
        pack --room 6144 $files
        run cortex-m0 microbit.ld
    done
    report Cortex-M0
}

try_riscv() {
    has_standard_library riscv32-none-none-eabi || return 0
    if ! command -v qemu-system-riscv32 >/dev/null; then
        printf 'conformance: left out on RISC-V: there is no qemu-system-riscv32\n'
        return
    fi
    build riscv32 riscv32-none-none-eabi riscv.c -march=rv32imac -mabi=ilp32
    machine=(qemu-system-riscv32 -M virt -bios none)
    pack "${all_files[@]}"
    run riscv32 riscv32-virt.ld
    report "RISC-V, 32 bits"
}

has_standard_library() {
    [[ -e $programs/../lib/swift/embedded/Swift.swiftmodule/$1.swiftmodule ]]
}

pack() {
    python3 $here/pack.py "$@" "$work/vectors" || fail "the vectors could not be packed; see above"
}

# Runs what is packed on the host and on a machine, and holds one against the other.
run() {
    local name=$1 script=$2 status=0
    compile_c host -- $here/Platform/vectors.c
    swiftc "$work"/host/*.o -o "$work/host/program" || fail "the program does not link on the host"
    "$work/host/program" >"$work/expected" || show_failures "$work/expected" "the host"
    run_emulated "$name" "$script" >"$work/output" || status=$?
    diff "$work/expected" "$work/output" >"$work/difference" || {
        show_faults "$work/output"
        head -n 10 "$work/difference" >&2
        fail "the host (<) and $name (>) differ; see above"
    }
    [[ $status -eq 0 ]] || {
        cat "$work/errors" >&2
        fail "$name ended with status $status"
    }
    add_up
}

add_up() {
    local stack
    stack=$(sed -n 's/^stack: 0*\([0-9]*\) bytes$/\1/p' "$work/errors")
    [[ ${stack:-0} -le $stack_byte_count ]] || stack_byte_count=$stack
    vector_count=$((vector_count + $(sed -n 's/^== all: \([0-9]*\) run.*/\1/p' "$work/output")))
}

run_emulated() {
    local folder=$work/$1 script=$2
    compile_c "$1" "${c_options[@]}" -- $here/Platform/vectors.c
    "$programs/ld.lld" --gc-sections -L $here/Platform -T "$script" \
        -o "$folder/program" "$folder"/*.o || fail "the program for $1 does not link; see above"
    timeout "$seconds_max" "${machine[@]}" -kernel "$folder/program" \
        -semihosting-config enable=on,target=native -nographic </dev/null 2>"$work/errors"
}

report() {
    printf 'conformance: %s vectors, the same on %s (QEMU) and on the host; %s bytes of stack\n' \
        "$(thousands "$vector_count")" "$1" "$(thousands "$stack_byte_count")"
    vector_count=0
    stack_byte_count=0
}

thousands() {
    local number=$1
    [[ $number -lt 1000 ]] || number=$((number / 1000)),$(printf '%03d' $((number % 1000)))
    printf '%s' "$number"
}

show_faults() {
    grep -A 2 --no-group-separator -E 'FAILED|TRAPPED' "$1" >"$work/faults" || true
    head -n 30 "$work/faults" >&2
}

show_failures() {
    show_faults "$1"
    grep '^==' "$1" >&2 || true
    fail "vectors fail on $2; see above"
}

# A test that can't fail says nothing: with another expectation the vector has to be named.
see_failure() {
    local spoilt=data.chunk-12 status=0
    pack --spoil $spoilt data
    run_emulated "$@" >"$work/output" || status=$?
    if [[ $status -ne 1 ]] || ! grep -q "^$spoilt: FAILED" "$work/output" ||
        ! grep -q '^== all: .* 1 failed$' "$work/output"; then
        fail "$spoilt was expected to be something else, and did not fail on $1"
    fi
}

# Compiles for one microcontroller; the words after the file of its platform are options for its C
# compiler.
build() {
    local name=$1 target=$2 platform=$3 option
    shift 3
    local options=(-target "$target" -enable-experimental-feature Embedded
        -Xfrontend -function-sections -Xfrontend -disable-stack-protector)
    for option in "$@"; do
        options+=(-Xcc "$option")
    done
    mkdir "$work/$name"
    c_options=(--target="$target" "$@" -ffreestanding -ffunction-sections)
    compile_all "$name" "${options[@]}"
    compile_c "$name" "${c_options[@]}" -- $here/Platform/{semihosting.c,"$platform"} \
        Embedded/Library/Runtime/{memory,aeabi_memory,arithmetic}.c
}

compile_all() {
    local name=$1
    shift
    compile BLEOTAWire Sources/BLEOTAWire "$work/$name" "$@"
    compile BLEOTAManifest Sources/BLEOTAManifest "$work/$name" "$@"
    compile BLEOTACore Sources/BLEOTACore "$work/$name" "$@"
    compile BLEOTAHost Sources/BLEOTAHost "$work/$name" "$@"
    compile BLEOTADevice Sources/BLEOTADevice "$work/$name" "$@"
    compile Conformance $here/Sources "$work/$name" "$@"
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

# Compiles files for a machine; options come before `--`.
compile_c() {
    local folder=$work/$1 options=() file
    shift
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    for file in "$@"; do
        "$programs/clang" "${options[@]}" -O2 -fno-builtin -Wall -Wextra -Werror \
            -DVECTORS="\"$work/vectors\"" \
            -c "$file" -o "$folder/$(basename "${file%.c}").o" ||
            fail "$file does not compile; see the errors above"
    done
}

main
