#!/usr/bin/env bash
# Builds the packages of Examples/ and runs them: a push to the receiver, a transfer over UDP and the contract of its
# transport, a transfer into a store in memory, and a scan where there is no Bluetooth daemon. They share one folder, as
# they differ in one file. UDPTransport and MemoryStore have bleota without traits; they come first, so that the folder
# shows whether they need a cryptographic library.
source "$(dirname "$0")/common.sh"

build=$root/.build-examples

main() {
    rm -rf "$build"/*/debug/Crypto.build
    build UDPTransport
    build MemoryStore
    [[ ! -e $build/debug/Crypto.build ]] || fail "without traits swift-crypto is built all the same"
    build ReceiverService
    build Push
    build ReadDevice
    folder=$(mktemp -d)
    receiver=
    trap clean_up EXIT
    push
    over_udp
    into_memory
    without_daemon
}

# The Swift package manager keeps traits in sets, whose order is that of the compiler's flags. With the flags in another
# order, it compiles a package with two traits again.
build() {
    step "$1"
    SWIFT_DETERMINISTIC_HASHING=1 quietly swift build --package-path "Examples/$1" --scratch-path "$build" || fail "$1 does not build"
}

clean_up() {
    [[ -z $receiver ]] || kill "$receiver" 2>/dev/null || true
    rm -rf "$folder"
}

push() {
    local socket=$folder/device.socket log=$folder/receiver.log
    step "Push to ReceiverService"
    "$build/debug/ReceiverService" "$socket" "$folder/device" >"$log" 2>&1 &
    receiver=$!
    await_socket "$socket" || fail "the receiver did not begin: $(<"$log")"
    timeout 60 "$build/debug/Push" README.md "$socket" | tee "$folder/push.log"
    if ! grep -q '^100 %' "$folder/push.log" || ! tail -1 "$folder/push.log" | grep -q '^verified: '; then
        fail "the push did not end with 100 % and the report"
    fi
    cmp README.md "$folder/device/current/image"
    kill -TERM "$receiver"
    wait "$receiver" || fail "the receiver did not end cleanly: $(<"$log")"
    receiver=
    grep '^stored: ' "$log" || fail "the receiver did not report the image: $(<"$log")"
}

await_socket() {
    local _
    for _ in {1..100}; do
        [[ ! -S $1 ]] || return 0
        sleep 0.1
    done
    return 1
}

over_udp() {
    step "UDPTransport"
    timeout 300 "$build/debug/UDPTransport" README.md "$folder/udp" || fail "the transport breaks its contract; see above"
    cmp README.md "$folder/udp/current/image"
}

into_memory() {
    step "MemoryStore"
    timeout 60 "$build/debug/MemoryStore" README.md "$folder/memory.socket" | tee "$folder/memory.log"
    grep -qx "in memory: $(stat --format %s README.md) bytes" "$folder/memory.log" ||
        fail "the store does not hold the whole file"
}

without_daemon() {
    local status=0 sentence
    step "ReadDevice without a bus"
    sentence=$(DBUS_SYSTEM_BUS_ADDRESS=unix:path=$folder/none timeout 60 "$build/debug/ReadDevice") || status=$?
    printf '%s\n' "$sentence"
    [[ $status -eq 1 && $sentence == *D-Bus* ]] || fail "without a bus it has to end with 1 and a sentence that names it"
}

main
