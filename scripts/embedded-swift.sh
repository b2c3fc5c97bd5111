# shellcheck shell=bash
# Sourced by what compiles Embedded Swift, after common.sh: processors, and how a module is compiled
# for one. host is this machine.

# The microcontrollers that there is a library for.
# shellcheck disable=SC2034 # Used where this is sourced.
embedded_targets=(armv7em armv7em-hf armv8m.main armv8m.main-hf armv6m riscv32)

# Where the toolchain's own programs are.
programs=$(toolchain_programs)

# Prints how the compiler calls the target that has its standard library. That of a Cortex-M4 serves for
# the others that run its instructions: what is compiled of it is compiled for the processor's options.
triple_of() {
    case $1 in
    host) printf '%s-unknown-linux-gnu\n' "$(uname -m)" ;;
    armv7em-hf | armv8m.main | armv8m.main-hf) printf 'armv7em-none-none-eabi\n' ;;
    *) printf '%s-none-none-eabi\n' "$1" ;;
    esac
}

# What a C compiler has to know of the processor, an option a line.
processor_options() {
    printf '%s\n' "--target=$(triple_of "$1")"
    case $1 in
    host) ;;
    armv7em) printf '%s\n' -mcpu=cortex-m4 -mthumb -mfloat-abi=soft ;;
    armv7em-hf) printf '%s\n' -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 ;;
    armv8m.main) printf '%s\n' -mcpu=cortex-m33+nodsp -mthumb -mfloat-abi=soft ;;
    armv8m.main-hf) printf '%s\n' -mcpu=cortex-m33+nodsp -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16 ;;
    armv6m) printf '%s\n' -mcpu=cortex-m0 -mthumb -mfloat-abi=soft ;;
    riscv32) printf '%s\n' -march=rv32imac -mabi=ilp32 ;;
    *) fail "no such target: $1 (there are ${embedded_targets[*]} and host)" ;;
    esac
}

# Whether the toolchain brings the standard library along for a target.
has_embedded_swift() {
    [[ -e $programs/../lib/swift/embedded/Swift.swiftmodule/$(triple_of "$1").swiftmodule ]]
}

# Compiles the sources in a folder as one module of Embedded Swift:
#
#     compile_embedded TARGET MODULE SOURCES FOLDER [OPTION…]
#
# leaves FOLDER/MODULE.o and FOLDER/MODULE.swiftmodule, and finds modules in FOLDER. The language
# rules are those of Package.swift, the other options those of Embedded/Library/toolsets.
compile_embedded() {
    local target=$1 module=$2 place=$3 folder=$4 sources processor=() option
    shift 4
    while read -r option; do
        processor+=(-Xcc "$option")
    done < <(processor_options "$target" | sed 1d)
    mapfile -d '' sources < <(find "$place" -name '*.swift' -print0 | sort -z)
    [[ ${#sources[@]} -gt 0 ]] || fail "$place holds no Swift source"
    swiftc -target "$(triple_of "$target")" "${processor[@]}" -Xcc -ffreestanding \
        -enable-experimental-feature Embedded \
        -parse-as-library -wmo -Osize \
        -Xfrontend -function-sections -Xfrontend -disable-stack-protector \
        -Xfrontend -mergeable-traps \
        -swift-version 6 -warnings-as-errors \
        -enable-upcoming-feature ExistentialAny \
        -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature NonisolatedNonsendingByDefault \
        -module-name "$module" -I "$folder" "$@" \
        -emit-module -emit-module-path "$folder/$module.swiftmodule" \
        -c "${sources[@]}" -o "$folder/$module.o" ||
        fail "$module does not compile for $target; see the errors above"
}
