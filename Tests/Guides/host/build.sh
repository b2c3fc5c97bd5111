#!/usr/bin/env bash
# Builds the firmwares of the guides for Zephyr and ESP-IDF for this machine:
#
#     Tests/Guides/host/build.sh
#
# Their sources are compiled as they are, against the headers of stubs/; zephyr/ and esp-idf/ here stand in
# for what those declare. Leaves .build-embedded/guides/{zephyr,zephyr-encrypted,esp-idf,esp-idf-encrypted}.
# They and the library come from scripts/embedded-release.sh, what verifies from Mbed TLS. The firmwares trust
# .build-embedded/guides/release.key, with which Tests/Guides/bundle.py signs.
source "$(dirname "$0")/../../../scripts/common.sh"
source "$(dirname "$0")/../../../scripts/embedded-swift.sh"

# What a maker gets, sources and library.
library=.build-embedded/unpacked/host
guides=$library/guides
here=Tests/Guides
host=$here/host
folder=.build-embedded/guides

main() {
    [[ -e $library/libBLEOTAReceiverC.a ]] || fail "there is no archive for host; run: scripts/embedded-release.sh"
    rm -rf "$folder"
    mkdir -p "$folder"
    python3 "$here/bundle.py" key "$folder/release.key" >"$folder/release_key.h"
    firmware zephyr zephyr Kconfig prj.conf
    firmware zephyr-encrypted zephyr Kconfig prj.conf encrypted.conf
    firmware esp-idf esp-idf Kconfig.projbuild sdkconfig.defaults
    firmware esp-idf-encrypted esp-idf Kconfig.projbuild sdkconfig.defaults sdkconfig.encrypted
}

# firmware NAME GUIDE KCONFIG SETTINGS…
firmware() {
    local name=$1 guide=$2 objects=$folder/$1.objects source
    shift 2
    mkdir "$objects"
    python3 "$here/stubs/configuration.py" "${@/#/$guides/$guide/}" >"$objects/configuration.h"
    local options=(-std=gnu11 -O1 -g -pthread -D_GNU_SOURCE -Wall -Wextra -Wshadow -Werror
        -include "$objects/configuration.h" -I "$host" -I "$host/$guide" -I "$guides/$guide"
        -I "$here/stubs/$guide" -I "$library/include" -I "$guides/trust" -I "$folder"
        -I Embedded/Device/crypto -I Embedded/Library/Runtime)
    for source in "$guides/$guide"/*.c "$host"/*.c "$host/$guide"/*.c "$guides/trust/trust_psa.c" Embedded/Device/crypto/sha256.c; do
        local own=()
        # The firmware's `main` is called by the one of start.c.
        [[ $source != "$guides/$guide/main.c" ]] || own=(-Dmain=guide_main)
        "$programs/clang" "${options[@]}" "${own[@]}" -c "$source" -o "$objects/of-${source//\//-}.o" ||
            fail "$source does not compile; see above"
    done
    # Zephyr's kernel watches the calls of PSA Crypto.
    local watched=()
    [[ $guide != zephyr ]] || watched=(-Wl,--wrap=psa_verify_message)
    # Whole, so that it runs in a guest that has no Mbed TLS.
    "$programs/clang" -pthread -Wl,--gc-sections "${watched[@]}" -o "$folder/$name" "$objects"/*.o \
        "$library/libBLEOTAReceiverC.a" -l:libmbedcrypto.a ||
        fail "$name could not be linked; see above"
    rm -r "$objects"
    printf '%s\n' "$folder/$name"
}

main
