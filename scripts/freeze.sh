#!/usr/bin/env bash
# Freezes what the built tool leaves on disk, as test data that every later version has to read:
#
#     scripts/freeze.sh 1.0     writes Tests/Frozen/1.0
#
# It needs scripts/build.sh and scripts/swift-tests.sh build before it: a test writes what devices leave in their flash.
# Run it once for a version whose formats differ from those that are frozen, and commit the folder. The script refuses a
# folder that exists: frozen data is never made again. Keys, salts and times differ between two runs, and everything else
# is the same. BLEOTA_TOOL names another tool than the one of scripts/build.sh.
source "$(dirname "$0")/common.sh"

tool=$(readlink -f "${BLEOTA_TOOL:-.build/release/bleota}")
tests=$root/.build-test/debug/bleotaPackageTests.xctest
scratch=$(mktemp -d)
receiver=

main() {
    [[ $# -eq 1 ]] || fail "name the version to freeze, such as 1.0"
    local frozen=$root/Tests/Frozen/$1
    [[ -x $tool ]] || fail "there is no $tool: scripts/build.sh makes it"
    [[ -x $tests ]] || fail "there is no ${tests#"$root"/}: scripts/swift-tests.sh build makes it"
    [[ ! -e $frozen ]] || fail "Tests/Frozen/$1 exists, and frozen data is never made again"
    # Paths of this machine must not get into what is kept: all commands run in the scratch folder.
    mkdir "$scratch/new"
    cd "$scratch/new"
    trap clean_up EXIT
    make_images
    make_keys
    make_bundles
    make_stores
    make_traces
    make_flash
    cp "$root/docs/output.schema.json" .
    mkdir -p "$root/Tests/Frozen"
    mv "$scratch/new" "$frozen"
    printf 'Frozen in Tests/Frozen/%s.\n' "$1"
}

clean_up() {
    [[ -z $receiver ]] || kill "$receiver" 2>/dev/null || true
    rm -rf "$scratch"
}

bleota() {
    "$tool" "$@"
}

# Two releases of a firmware that differ in the middle: half of each can be compressed.
make_images() {
    python3 - <<'PYTHON'
import random

chance = random.Random("bleota")
words = [chance.randbytes(12) for _ in range(64)]
image = bytearray(b"".join(chance.choice(words) for _ in range(1024)) + chance.randbytes(12288))
open("firmware-1.bin", "wb").write(image)
image[12000:13000] = chance.randbytes(1000)
open("firmware-2.bin", "wb").write(image)
PYTHON
}

make_keys() {
    bleota key generate ed25519.pem
    bleota key generate second.pem
    bleota key generate --algorithm p256 p256.pem
    bleota key generate --sealing sealing.pem
}

make_bundles() {
    local lamp=(--hardware acme/lamp:2-5) about=(--hardware acme/lamp:2-5 --counter 7 --version 2.1.0)
    bleota sign firmware-1.bin --key ed25519.pem "${about[@]}" --output signed.bleota
    bleota sign firmware-1.bin --key p256.pem "${about[@]}" --expires 2099-12-31 --output p256.bleota
    bleota sign signed.bleota --key second.pem --output twice.bleota
    bleota sign firmware-1.bin --key ed25519.pem "${lamp[@]}" --seal-for sealing.pem.pub --output sealed.bleota
    bleota sign firmware-2.bin --key ed25519.pem "${lamp[@]}" --base firmware-1.bin --counter 8 --output patch.bleota
}

# Starts a receiver with this store, and waits until it listens. Arguments: the store, options of receive.
receive() {
    "$tool" receive --listen unix:socket --store "$@" --trust ed25519.pem.pub --hardware acme/lamp:3 >../log 2>&1 &
    receiver=$!
    until grep -q '^listening' ../log; do
        kill -0 "$receiver" || fail "the receiver ended: $(cat ../log)"
        pause
    done
}

end_receiver() {
    kill "-${1:-TERM}" "$receiver"
    wait "$receiver" 2>/dev/null || true
    receiver=
    rm -f socket
}

make_stores() {
    # A store with a current and a previous image, a counter, and a record of what runs.
    receive store
    bleota push signed.bleota --connect unix:socket
    bleota push patch.bleota --connect unix:socket
    end_receiver
    bleota confirm --store store --image firmware-2.bin
    pack store store.tar

    # A store whose receiver was killed when it had some blocks of a signed image.
    receive half
    half_of 'half/incoming/*' "$tool" push signed.bleota --connect unix:socket --burst 1:40
    end_receiver KILL
    pack half store-half.tar

    # What a pull leaves that was interrupted, beside its output.
    mkdir pulled
    receive offering --offer firmware-1.bin
    slow_link slow socket &
    local link=$!
    until [[ -S slow ]]; do pause; done
    half_of 'pulled/.firmware.bleota/*' "$tool" pull firmware-1.bin --connect unix:slow --output pulled/firmware
    end_receiver
    wait "$link" 2>/dev/null || true
    rm -f slow
    rm -r offering
    pack pulled pull-half.tar
}

# Runs a transfer in the background, interrupts it when some blocks have been written, and waits until the journal says so.
# Arguments: a pattern that names the folder of the transfer, the command.
half_of() {
    local pattern=$1 folder='' transfer
    shift
    "$@" >../transfer-log 2>&1 &
    transfer=$!
    until [[ -n $folder && $(cat "$folder"/{encoded,image} 2>/dev/null | tr -d '\0' | wc -c) -gt 8000 ]]; do
        kill -0 "$transfer" 2>/dev/null || fail "the transfer ended too soon: $(cat ../transfer-log)"
        pause
        folder=$(compgen -G "$pattern/journal" | xargs --no-run-if-empty dirname) || true
    done
    kill -TERM "$transfer"
    wait "$transfer" 2>/dev/null || true
    # A byte of the journal is 1 if its block is stored.
    until grep -qaP '\x01' "$folder/journal"; do pause; done
}

# A link between two Unix sockets that carries 50 packets a second to the one that connects. Arguments: the socket to listen
# on, the one to connect to.
slow_link() {
    python3 - "$@" <<'PYTHON'
import select
import socket
import sys
import time

listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
listener.listen()
near = listener.accept()[0]
far = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
far.connect(sys.argv[2])
while True:
    for end in select.select([near, far], [], [])[0]:
        try:
            packet = end.recv(1024)
            if end is far:
                time.sleep(0.02)
            (near if end is far else far).send(packet)
        except OSError:
            packet = b""
        if not packet:
            sys.exit()
PYTHON
}

pause() {
    read -r -t 0.02 <> <(:) || true
}

# Packs a folder, with everything that depends on the machine and the moment left out.
pack() {
    tar --create --file "$2" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=ustar "$1"
    rm -r "$1"
}

make_traces() {
    bleota push signed.bleota --loopback --loss 5% --seed 7 --trace push.trace
    bleota decode push.trace >push.txt
}

# What the receiver of a microcontroller leaves in its flash.
make_flash() {
    LLVM_PROFILE_FILE=/dev/null BLEOTA_FREEZE=$PWD "$tests" --testing-library swift-testing \
        --filter '^BLEOTADeviceTests\.FrozenFlashTests/freeze' >../test-log 2>&1 || true
    [[ -s flash.bin && -s flash-half.bin ]] || fail "the test wrote no flash: $(cat ../test-log)"
}

main "$@"
