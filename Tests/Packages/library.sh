#!/usr/bin/env bash
# Installs the package of the library for C, builds Examples/ReceiverInC with it by pkg-config and by CMake, and pushes
# to the programs. Argument: the package.
#
# It is installed on this machine, for these programs alone: in a layer over the machine's files, which is gone with
# them. Where no such layer can be made, this is left out.
source "$(dirname "$0")/../../scripts/common.sh"

package=$(realpath "$1")
tool=${BLEOTA_TOOL:-$root/.build/release/bleota}
line_count_max=60

main() {
    if [[ ${2:-} != inside ]]; then
        local options=(--mount)
        [[ $EUID -eq 0 ]] || options+=(--user --map-root-user)
        unshare "${options[@]}" true 2>/dev/null || { printf 'No files of its own for a process here.\n'; exit 77; }
        exec unshare "${options[@]}" "$0" "$package" inside
    fi
    local folder
    # /tmp has the layer, since a folder can't be laid over itself.
    layer=$(mktemp -d)
    mount -t tmpfs layer "$layer"
    for folder in usr var etc; do
        mkdir -p "$layer/$folder"/{files,work}
        mount -t overlay -o "lowerdir=/$folder,upperdir=$layer/$folder/files,workdir=$layer/$folder/work" overlay "/$folder"
    done
    quietly dpkg --install "$package" || fail "dpkg could not install the package; see above"
    cd "$layer"
    example=/usr/share/doc/libbleotareceiver-dev/examples/receiver
    local count
    count=$(wc -l <"$example/receiver.c")
    printf 'receiver.c: %d lines of at most %d\n' "$count" "$line_count_max"
    ((count <= line_count_max)) || fail "the program has become too long"
    head -c 300000 /dev/urandom >image
    # shellcheck disable=SC2046  # Several options.
    cc -Wall -Wextra -Wno-unused-parameter -Werror "$example/receiver.c" \
        $(pkg-config --cflags --libs bleota-receiver) -o by-pkgconfig
    takes_a_push by-pkgconfig
    quietly cmake -S "$example" -B build || fail "CMake does not find the library; see above"
    quietly cmake --build build || fail "the program does not build with CMake; see above"
    takes_a_push build/receiver
    for_a_microcontroller
}

takes_a_push() {
    "./$1" device.socket >received &
    local program=$!
    local _
    for _ in {1..100}; do
        [[ ! -S device.socket ]] || break
        sleep 0.1
    done
    quietly "$tool" push image --connect unix:device.socket || fail "the push to $1 failed; see above"
    wait "$program" || fail "$1 did not end well"
    cmp image received || fail "$1 received another image"
    rm device.socket
    printf '%s takes a push\n' "$1"
}

# What pkg-config and CMake say of another processor links for it.
for_a_microcontroller() {
    command -v arm-none-eabi-gcc >/dev/null || return 0
    printf '#include <bleota_receiver.h>\nint main(void) { return (int)bleota_receiver_byte_count; }\n' >firmware.c
    # shellcheck disable=SC2046  # Several options.
    quietly arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 --specs=nosys.specs -w firmware.c \
        $(pkg-config --cflags --libs bleota-receiver-armv7em-hf) -o firmware ||
        fail "the library for a Cortex-M4 does not link; see above"
    printf 'a firmware for a Cortex-M4 links\n'
}

main "$@"
