#!/usr/bin/env bash
# Pushes a firmware image over a loopback that loses 2 % of all datagrams and compares what arrived.
# The image is $IMAGE (relative to $RUN_FROM, where make was run) or comes from a Debian package.
source "$(dirname "$0")/common.sh"

main() {
    local image
    if [[ -n ${IMAGE:-} ]]; then
        image=$(users_image)
    else
        image=$(packaged_image)
    fi

    mkdir -p demo
    rm -f demo/received.bin
    step "bleota push ${image##*/} --loopback --output demo/received.bin --loss 2%"
    .build/release/bleota push "$image" --verbose --loopback --output demo/received.bin --loss 2%

    if [[ $(head -c 1 "$image" | tr -d "\0") == : ]]; then
        printf '\n%s is Intel HEX: demo/received.bin holds the bytes it describes.\n' "$image"
    elif cmp "$image" demo/received.bin; then
        printf '\ncmp: demo/received.bin is identical to %s\n' "$image"
    else
        fail "demo/received.bin differs from $image; please report this"
    fi
}

users_image() {
    local candidate=$IMAGE
    [[ $IMAGE == /* ]] || candidate=${RUN_FROM:-$root}/$IMAGE
    [[ -e $candidate ]] || fail "there is no $candidate; give IMAGE= the path of a firmware image"
    printf '%s\n' "$candidate"
}

# The main image of the first package that can be had.
packaged_image() {
    local package name image
    while read -r package name; do
        if scripts/fetch-firmware.sh .build-firmware "$package" >/dev/null; then
            image=$(find ".build-firmware/$package" -type f -name "$name" | sort | tail -n 1)
            [[ -z $image ]] || { printf '%s\n' "$image"; return; }
        fi
    done <<'PACKAGES'
seabios bios-256k.bin
opensbi fw_dynamic.bin
firmware-microbit-micropython *.hex
PACKAGES
    fail "no firmware package could be fetched; push a file of your own: make demo IMAGE=path"
}

main
