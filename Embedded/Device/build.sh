#!/usr/bin/env bash
# Builds the reference device: Embedded/Device/build.sh [BOARD [PROGRAM]]; without a board all there
# is that needs nothing else.
#
# BOARD is mps2-an386, mps2-an505 or microbit; the first two also with -hf behind, for the ABI that passes
# numbers in floating-point registers. PROGRAM is device (the default), or, for mps2-an386, measure, or
# measure-m0: the same with the code for a smaller core, which the larger one runs as well, or verifier.
# With mbed TLS in .build-mbedtls, where scripts/fetch-mbedtls.sh leaves it, there are measure-mbedtls and
# verifier-mbedtls as well, in which that verifies signatures. Leaves
# .build-embedded/device/BOARD/PROGRAM.elf with a map beside it. The receiver has to be there
# already: scripts/build-embedded.sh makes it; BLEOTA_RECEIVER names another folder of it.
#
# mps2-an386 and microbit are built with the compiler of the Swift toolchain and without libraries; the others
# with GNU's compiler, linker and newlib, as most makers do. That linker checks that all objects are for one ABI.
source "$(dirname "$0")/../../scripts/common.sh"
source "$(dirname "$0")/../../scripts/embedded-swift.sh"

if [[ $# -eq 0 ]]; then
    for program in device measure measure-m0 verifier; do
        Embedded/Device/build.sh mps2-an386 $program
    done
    for board in microbit mps2-an386-hf mps2-an505 mps2-an505-hf; do
        Embedded/Device/build.sh $board
    done
    exit
fi
board=$1
program=${2:-device}
case $board,$program in
microbit,device | mps2-an386,measure-m0) target=armv6m ;;
mps2-an386,device | mps2-an386,measure | mps2-an386,verifier) target=armv7em ;;
mps2-an386,measure-mbedtls | mps2-an386,verifier-mbedtls) target=armv7em ;;
mps2-an386-hf,device) target=armv7em-hf ;;
mps2-an505,device) target=armv8m.main ;;
mps2-an505-hf,device) target=armv8m.main-hf ;;
*) fail "which board and program? See the beginning of $0" ;;
esac
mapfile -t processor < <(processor_options "$target")

here=Embedded/Device
# The programs that measure and test.
tests_folder=Tests/Device/Programs
case $program in
device)
    sources=("$here"/{main,hooks,boot,testing/report,testing/old_firmware,flash/flash,testing/power_cut}.c
        "$here"/{testing/options,serial/uart,serial/slip,trust}.c)
    ;;
*) sources=("$tests_folder/${program%%-*}.c") ;;
esac
sources+=("$here"/{processor/startup,testing/semihosting,testing/log,crypto/sha256}.c)
[[ $program = *-mbedtls ]] || sources+=("$here/crypto/p256.c")
boards_own=(clock.c uart_port.c flash_chip.c)
[[ $program = device ]] || boards_own=(clock.c)

receiver=${BLEOTA_RECEIVER:-.build-embedded/$target}
case $board in
mps2-an*)
    board_folder=$here/boards/mps2
    link_script=$board_folder/${board%-hf}.ld
    image=${board#mps2-an}
    board_flags=("-DBOARD_IMAGE=${image%-hf}")
    ;;
*)
    board_folder=$here/boards/$board
    link_script=$board_folder/link.ld
    board_flags=()
    ;;
esac
folder=.build-embedded/device/$board
[[ -e $receiver/libBLEOTAReceiverC.a ]] ||
    fail "there is no receiver in $receiver; run: scripts/build-embedded.sh $target"
mkdir -p "$folder/$program"

compiler=("$programs/clang" "${processor[@]}")
linker=("$programs/ld.lld" --fatal-warnings)
libraries=()
prefix=
case $board in
*-hf | mps2-an505)
    # GNU's compiler knows no target.
    compiler=(arm-none-eabi-gcc "${processor[@]:1}")
    # The C library has an assembly source that says nothing of the stack.
    linker=("${compiler[@]}" -nostdlib "-Wl,--fatal-warnings,-z,noexecstack")
    prefix=-Wl,
    libraries=(-lc -lgcc)
    ;;
esac
# Of the sections that nothing reaches nothing is left, and a function has a section of its own.
flags=(-std=c11 -ffreestanding -Os -g -Wall -Wextra -Werror -Wmissing-prototypes
    -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables
    -I "$here" -I "$here/crypto" -I "$here/flash" -I "$here/processor" -I "$here/serial" -I "$here/testing"
    -I "$board_folder" "${board_flags[@]}" -I Embedded/Library/Runtime -I "$receiver/include")

objects=()
compile() {
    local source=$1 object
    shift
    object=$folder/$program/$(basename "${source%.c}").o
    "${compiler[@]}" "${flags[@]}" "$@" -c "$source" -o "$object"
    objects+=("$object")
}

for source in "${sources[@]}" "${boards_own[@]/#/$board_folder/}"; do
    compile "$source"
done
if [[ $program = *-mbedtls ]]; then
    mbedtls=.build-mbedtls
    [[ -e $mbedtls/library/ecdsa.c ]] || fail "there is no mbed TLS: scripts/fetch-mbedtls.sh $mbedtls"
    options=(-I "$tests_folder/mbedtls/libc" -I "$tests_folder/mbedtls" -I "$mbedtls/include"
        -DMBEDTLS_CONFIG_FILE='"config.h"')
    for name in bignum constant_time ecdsa ecp ecp_curves asn1parse asn1write memory_buffer_alloc platform \
        platform_util; do
        compile "$mbedtls/library/$name.c" "${options[@]}" -w
    done
    compile "$tests_folder/mbedtls/p256.c" "${options[@]}"
fi
if [[ ${#libraries[@]} -eq 0 ]]; then
    for name in memory aeabi_memory arithmetic; do
        compile "Embedded/Library/Runtime/$name.c" -fno-builtin
    done
fi
# What a frame costs by parts, of the same modules as the library.
if [[ $program = measure* ]]; then
    cp "$receiver"/modules/BLEOTA{Wire,Manifest,Core,Device}.{o,swiftmodule} "$folder/$program/"
    compile_embedded "$target" Parts "$tests_folder" "$folder/$program" -lto=llvm-full
    objects+=("$folder/$program"/{BLEOTAWire,BLEOTAManifest,BLEOTACore,BLEOTADevice,Parts}.o)
fi
"${linker[@]}" "$prefix--gc-sections" "$prefix-Map=$folder/$program.map" -L "$here/processor" \
    -T "$link_script" -o "$folder/$program.elf" "${objects[@]}" \
    "$receiver/libBLEOTAReceiverC.a" "${libraries[@]}"
printf "%s\n" "$folder/$program.elf"
