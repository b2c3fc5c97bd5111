#!/usr/bin/env bash
# Installs the system packages that are missing for what its arguments name:
#
#     scripts/packages.sh swift     the toolchain can start
#     scripts/packages.sh build     it can build this package
#     scripts/packages.sh delta     it can build this package with patches, as the tests do
#     scripts/packages.sh python    the scripts in Python can run
#     scripts/packages.sh bus       the tests of D-Bus have a bus
#     scripts/packages.sh terminal  the tests of the tool have a terminal
#     scripts/packages.sh guest     the guest with Bluetooth can start
#     scripts/packages.sh embedded  the microcontrollers can start, and GNU's tools link for them
#     scripts/packages.sh model     the protocol's model can be checked
#     scripts/packages.sh venv      Python can make environments, for other makers' Bluetooth tools
#     scripts/packages.sh fleet     the package for fleets can be built and tested
#     scripts/packages.sh browser   the fleet's console can be clicked through
#     scripts/packages.sh agents    the examples for update agents can run
#     scripts/packages.sh deb       Debian packages can be made and checked
#     scripts/packages.sh system    a Debian of its own can be installed for the guest
#
# It looks for the tools themselves, not for package names, so that it asks for nothing that came
# from elsewhere, and it says what is missing and why before it installs anything.
source "$(dirname "$0")/common.sh"

packages=()
reasons=()

main() {
    local purpose
    for purpose in "$@"; do
        case $purpose in
        swift) look_for_toolchain_libraries ;;
        build)
            look_for_toolchain_libraries
            look_for_build_tools
            ;;
        delta) look_for_zstd ;;
        python) look_for_python ;;
        bus) command -v dbus-daemon >/dev/null || need dbus-daemon "the tests talk over a bus" ;;
        terminal) command -v tmux >/dev/null || need tmux "the tests look at the tool on a terminal" ;;
        guest) look_for_emulator ;;
        embedded) look_for_microcontrollers ;;
        model) look_for_model_checker ;;
        venv) look_for_environments ;;
        fleet) look_for_nats ;;
        browser) command -v chromium >/dev/null || need chromium "the tests click through the console with it" ;;
        agents) look_for_agents ;;
        deb) look_for_packagers ;;
        system) command -v mmdebstrap >/dev/null || need mmdebstrap "it installs Debian in a folder" ;;
        *) fail "no such purpose: $purpose (there are swift, build, delta, python, bus, terminal, guest, embedded, model, venv, fleet, browser, agents, deb and system)" ;;
        esac
    done
    install_missing
}

need() {
    packages+=("$1")
    reasons+=("$2")
}

# Shared libraries that a toolchain's programs are linked to and the system does not have.
look_for_toolchain_libraries() {
    local folder library
    folder=$(dirname "$(readlink -f "$(command -v swift)")")
    for library in $(missing_libraries "$folder"); do
        case $library in
        libcurl.so.4) need libcurl4 "Swift's programs load it" ;;
        libedit.so.2) need libedit2 "Swift's programs load it" ;;
        libncurses.so.6) need libncurses6 "Swift's programs load it" ;;
        libsqlite3.so.0) need libsqlite3-0 "Swift's programs load it" ;;
        libuuid.so.1) need libuuid1 "Swift's programs load it" ;;
        libxml2.so.2) need libxml2 "Swift's programs load it" ;;
        libz.so.1) need zlib1g "Swift's programs load it" ;;
        *) fail "the Swift toolchain in $folder loads $library, which this system does not have" ;;
        esac
    done
}

missing_libraries() {
    local program
    for program in swift-driver swift-build swift-frontend swift-format clang lld llvm-cov; do
        if [[ -x $1/$program ]]; then
            ldd "$1/$program" 2>/dev/null | awk '/not found/ { print $1 }'
        fi
    done | sort -u
}

look_for_build_tools() {
    command -v git >/dev/null || need git "the Swift package manager fetches dependencies with it"
    [[ -e /etc/ssl/certs/ca-certificates.crt || -d /etc/pki/tls/certs ]] ||
        need ca-certificates "dependencies are fetched over HTTPS"
    local clang
    clang=$(toolchain_programs)/clang++
    links_cxx "$clang" || need g++ "Swift links with the system's C and C++ libraries"
    # The Swift package manager asks pkg-config where libdbus is.
    command -v pkg-config >/dev/null || need pkg-config "it tells where libraries are"
    pkg-config --exists dbus-1 2>/dev/null || need libdbus-1-dev "the Bluetooth daemon is on D-Bus"
    pkg-config --exists zlib 2>/dev/null || need zlib1g-dev "images travel compressed"
    pkg-config --exists minizip 2>/dev/null || need libminizip-dev "Nordic's packages are ZIP files"
    install_missing
    links_cxx "$clang" || fail "$clang cannot compile and link a C++ program here: try it by hand"
}

links_cxx() {
    printf '#include <vector>\nint main() { return int(std::vector<int>().size()); }\n' |
        "$1" -x c++ - -o /dev/null 2>/dev/null
}

look_for_zstd() {
    command -v pkg-config >/dev/null || need pkg-config "it tells where libraries are"
    install_missing
    pkg-config --exists libzstd 2>/dev/null || need libzstd-dev "patches are made with it"
}

look_for_python() {
    command -v python3 >/dev/null ||
        need python3 "the protocol's vectors and the man page are made by Python scripts"
}

look_for_emulator() {
    command -v qemu-system-x86_64 >/dev/null ||
        need qemu-system-x86 "the tests with bluetoothd run in a guest of this emulator"
}

look_for_microcontrollers() {
    command -v qemu-system-arm >/dev/null ||
        need qemu-system-arm "the receiver of microcontrollers runs in this emulator"
    command -v qemu-system-riscv32 >/dev/null ||
        need qemu-system-misc "the receiver of microcontrollers runs in this emulator"
    command -v arm-none-eabi-gcc >/dev/null ||
        need gcc-arm-none-eabi "makers of devices link with it, and it checks what it links"
    [[ -e /usr/lib/arm-none-eabi/include/newlib.h || -e /usr/lib/arm-none-eabi/newlib ]] ||
        need libnewlib-arm-none-eabi "the compiler above needs a C library"
    look_for_mbedtls
}

look_for_mbedtls() {
    command -v cc >/dev/null || need gcc "the guide for Linux is compiled as its page says"
    [[ -e /usr/include/psa/crypto.h ]] || need libmbedtls-dev "the devices of the guides verify signatures with it"
}

look_for_model_checker() {
    command -v spin >/dev/null || need spin "it checks the protocol's model"
    command -v cc >/dev/null || command -v gcc >/dev/null || need gcc "SPIN writes its checkers in C"
}

look_for_environments() {
    python3 -c 'import ensurepip, venv' 2>/dev/null ||
        need python3-venv "the tests with other makers' tools install those in an environment"
}

look_for_nats() {
    command -v pkg-config >/dev/null || need pkg-config "it tells where libraries are"
    command -v openssl >/dev/null || need openssl "the tests of the fleet make keys and certificates"
    command -v setpriv >/dev/null || need util-linux "the servers of tests end with them"
    install_missing
    pkg-config --exists libnats 2>/dev/null || need libnats-dev "the fleet speaks with its server through it"
}

look_for_agents() {
    look_for_python
    command -v jq >/dev/null || need jq "the update module for Mender reads meta-data with it"
    command -v setpriv >/dev/null || need util-linux "the gateway for hawkBit ends its pushes with it"
}

look_for_packagers() {
    command -v dh >/dev/null || need debhelper "Debian packages are made with it"
    command -v dpkg-buildpackage >/dev/null || need dpkg-dev "Debian packages are made with it"
    command -v lintian >/dev/null || need lintian "it checks Debian packages"
    command -v cmake >/dev/null || need cmake "a program finds the library for C with it"
}

install_missing() {
    [[ ${#packages[@]} -gt 0 ]] || return 0
    printf 'Missing system packages:\n' >&2
    local index
    for index in "${!packages[@]}"; do
        printf '  %-16s %s\n' "${packages[index]}" "${reasons[index]}" >&2
    done
    command -v apt-get >/dev/null ||
        fail "there is no apt-get here: install what goes by these names or similar ones, and retry"

    local command=(apt-get install -y --no-install-recommends "${packages[@]}")
    require_root "${command[@]}"
    printf 'Installing them with: %s\n' "$(as_root_prefix)${command[*]}" >&2
    # An index that was never fetched, or is behind its mirror, names versions that are not there.
    as_root "${command[@]}" >/dev/null 2>&1 ||
        { quietly as_root apt-get update && quietly as_root "${command[@]}"; } ||
        fail "apt-get could not install them; see above, or run it by hand: ${command[*]}"
    packages=()
    reasons=()
}

main "$@"
