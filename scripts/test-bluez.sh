#!/usr/bin/env bash
# Runs the tests that need Bluetooth in guests with a real Bluetooth daemon:
#
#     scripts/test-bluez.sh           in all of the guests, side by side
#     scripts/test-bluez.sh smoke     one push
#     scripts/test-bluez.sh NAME…     in some of them: faults, push, queue, uses, tools, release, trixie, …
#     scripts/test-bluez.sh --list    prints their names, without smoke
#     scripts/test-bluez.sh --list-later  prints those of the same guests made from Debian 13: trixie-push, …
#     scripts/test-bluez.sh --adapters CENTRAL DEVICE [NAME…]
#                                     without guests: on this machine, with two adapters of its own, such as
#                                     hci0 and hci1; what unplugs adapters or ends the daemon is left out
#
# The guests are stages (scripts/stages.mk), so what they need is built before. The stages are in turn
#
#     scripts/test-bluez.sh --prepare     makes the guest's image, and the environment for tools in Python
#     scripts/test-bluez.sh --run NAME    runs a guest, with the tests and the tool as they are built
source "$(dirname "$0")/common.sh"

tests=$PWD/.build-test/debug/bleotaPackageTests.xctest
fleet_tests=$PWD/.build-examples/debug/bleota-fleetPackageTests.xctest
test_options=(--testing-library swift-testing --no-parallel)

# The guests: the one that takes longest comes first.
#
#     guest NAME SETTINGS FILTER ['SECTION.KEY=VALUE …' [CONTROLLERS [RADIO [RELEASE]]]]
#
# SETTINGS says to the tests which guest it is (BLEOTA_GUEST), FILTER which tests of BluetoothTests run there, or in the
# guest `fleet` which of the fleet's FleetBluetoothTests; the rest are the settings of the Bluetooth daemon, the number of
# controllers (2), what --radio of scripts/guest.sh takes, and the release of Debian that the guest is made from (this
# machine's).
list_guests() {
    # One channel, as later releases have it by default: three make 5.66 slow, and are a test of their own.
    guest uses plain 'Uses' GATT.Channels=1
    # With Linux 6.12: 6.1.192 can crash when a link drops as its socket is closed, and on a slow machine it does so again and
    # again when the adapter is switched off.
    guest faults 'slow radio' '(StrengthTests|FaultTests)' GATT.Channels=1 2 30,3 trixie
    guest push plain '((Signed)?PushTests|BenchTests)' GATT.Channels=1
    # What the guests above do over GATT, over channels of L2CAP.
    guest l2cap plain+l2cap '(PushTests|L2CAPTests|PairingTests)' GATT.Channels=1
    guest queue plain 'QueueTests' GATT.Channels=1
    guest tools plain 'OtherToolsTests/(bleakAndReceiver|bluetoothctl|bless)' GATT.Channels=1
    # In a guest of its own: the devices of these tests share an address, and bleak takes the services
    # of one that it finds cached for all that there are.
    guest bleak plain 'OtherToolsTests/bleakAndLibrary' GATT.Channels=1
    guest pairing plain 'PairingTests' GATT.Channels=1
    # A server, a controller and a gateway of the fleet, and two devices.
    guest fleet fleet 'CampaignTests' GATT.Channels=1 3 7.5,6
    guest several controllers=3 '(SeveralDevicesTests|TogetherTests)' GATT.Channels=1 3 7.5,6
    # Devices that are not BlueZ: the firmwares of the guides.
    guest guides guides 'GuideTests' GATT.Channels=1 2 air
    # A daemon before 5.69 loses what a central writes past 510 bytes, and smpclient fills the ATT_MTU.
    guest devices devices 'OtherDevicesTests' 'GATT.Channels=1 GATT.ExchangeMTU=498' 2 air
    guest dfu devices 'DFUDevicesTests' 'GATT.Channels=1 GATT.ExchangeMTU=498' 2 air
    # Another stack at the other end, with another implementation of the protocol.
    guest bumble-device bumble 'BumbleDeviceTests' GATT.Channels=1 2 air
    guest bumble-central bumble 'BumbleCentralTests' GATT.Channels=1 2 air
    # Two releases of the daemon, each with its own settings. The later one drops what it hears in the first
    # moments of a discovery, which is all that the other controllers tell: they don't advertise again and again.
    guest release release 'ReleaseTests'
    guest trixie release 'ReleaseTests' '' 2 air trixie
    guest failures plain '(FailureTests|DoctorTests)'
    guest order Channels=3 'SettingsTests' GATT.Channels=3
    guest mtu-23 ExchangeMTU=23 'SettingsTests'
    local mtu
    for mtu in 65 185 247 498 517; do
        guest "mtu-$mtu" "ExchangeMTU=$mtu" 'SettingsTests' "GATT.ExchangeMTU=$mtu"
    done
}

# What two adapters of this machine can do.
list_without_guests() {
    guest push plain '((Signed)?PushTests|BenchTests)'
    guest faults 'slow radio' 'FaultTests'
    guest uses plain 'Uses'
    guest tools plain 'OtherToolsTests'
}

# Each of the guests can be made from a later release of Debian as well, with its kernel and its daemon.
later_release=trixie
later_prefix=$later_release-

# Without that of the settings as they are, which is a guest of the list above.
list_later_guests() {
    local index
    for index in "${!names[@]}"; do
        [[ ${names[index]} == release || -n ${releases[index]} ]] || printf '%s%s\n' "$later_prefix" "${names[index]}"
    done
}

# The later daemon drops what it hears in the first moments of a discovery, and btvirt's controllers don't
# advertise again, so that the controllers are Bumble's where the guest names no radio.
take_later() {
    releases[$1]=$later_release
    radios[$1]=${radios[$1]:-air}
}

names=() settings=() filters=() configurations=() controllers=() radios=() releases=()

guest() {
    names+=("$1")
    settings+=("$2")
    filters+=("$3")
    configurations+=("${4:-}")
    controllers+=("${5:-2}")
    radios+=("${6:-}")
    releases+=("${7:-}")
}

main() {
    case ${1:-} in
    --list)
        list_guests
        printf '%s\n' "${names[@]}"
        ;;
    --list-later)
        list_guests
        list_later_guests
        ;;
    --prepare) prepare ;;
    --run)
        list_guests
        # Not one of all: others make the same push, among more.
        guest smoke plain 'PushTests/onlyOne'
        local name=${2:-} index
        index=$(index_of "${name#"$later_prefix"}")
        if [[ $name == "$later_prefix"* ]]; then take_later "$index"; fi
        run_guest "$index"
        ;;
    --adapters)
        [[ $# -ge 3 ]] || fail "--adapters needs two, for example: --adapters hci0 hci1"
        use_adapters "$2" "$3"
        list_without_guests
        run_here "${@:4}"
        ;;
    -*) fail "no such option: $1; the beginning of this script says which there are" ;;
    '') exec scripts/stages.sh bluez ;;
    *) exec scripts/stages.sh "${@/#/guest-}" ;;
    esac
}

# Ends with 77 where no guest can run.
prepare() {
    scripts/guest/build.sh
    use_python
}

use_python() {
    local status=0
    BLEOTA_PYTHON=$(scripts/guest/python.sh) || status=$?
    case $status in
    0) ;;
    77) printf 'The tests with tools in Python are left out: see above.\n' ;;
    *) exit "$status" ;;
    esac
    export BLEOTA_PYTHON
}

# Runs the guest at the index $1.
run_guest() {
    local program=$tests module=BluetoothTests
    if [[ ${settings[$1]} == fleet ]]; then
        program=$fleet_tests
        module=FleetBluetoothTests
        [[ -x $program ]] || fail "there is no $program: scripts/stages.sh fleet-build makes it"
        use_tool
    else
        use_built
    fi
    use_python
    export BLEOTA_GUEST=${settings[$1]}
    # The controllers of the air are in Python, too.
    [[ ${radios[$1]} != air || -n $BLEOTA_PYTHON ]] || exit 77
    local options=(--again --timeout 1400 --controllers "${controllers[$1]}") setting
    [[ -z ${releases[$1]} ]] || options+=(--release "${releases[$1]}")
    [[ -z ${radios[$1]} ]] || options+=(--radio "${radios[$1]}")
    for setting in ${configurations[$1]}; do options+=(--main-conf "$setting"); done
    scripts/guest.sh "${options[@]}" -- \
        "$program" "${test_options[@]}" --filter "^${module}[./]${filters[$1]}"
}

use_built() {
    [[ -x $tests ]] || fail "there is no $tests: scripts/swift-tests.sh build makes it"
    use_tool
    use_firmware
}

# The tool is the one for use.
use_tool() {
    export BLEOTA_TOOL=$PWD/.build/release/bleota LLVM_PROFILE_FILE=/dev/null
    [[ -x $BLEOTA_TOOL ]] || fail "there is no $BLEOTA_TOOL: make build makes it"
}

# Has the tests run on this machine, one group after the other. Arguments: the names, all if there are none.
run_here() {
    local name index failed=() chosen=("$@")
    [[ $# -gt 0 ]] || chosen=("${names[@]}")
    use_built
    for name in "${chosen[@]}"; do
        index=$(index_of "$name")
        BLEOTA_GUEST=${settings[index]} "$tests" "${test_options[@]}" --filter "BluetoothTests.${filters[index]}" ||
            failed+=("$name")
    done
    [[ ${#failed[@]} -eq 0 ]] || fail "failed: ${failed[*]}"
}

index_of() {
    local index
    for index in "${!names[@]}"; do
        [[ ${names[index]} != "$1" ]] || { printf '%d' "$index"; return; }
    done
    fail "no such guest: $1 (there are ${names[*]})"
}

# Arguments: the adapter of the central, the one of the device.
use_adapters() {
    export BLEOTA_CENTRAL=$1 BLEOTA_DEVICE=$2
    BLEOTA_CENTRAL_ADDRESS=$(address_of "$BLEOTA_CENTRAL")
    BLEOTA_DEVICE_ADDRESS=$(address_of "$BLEOTA_DEVICE")
    BLEOTA_SERVICES=$(mktemp -d)
    export BLEOTA_CENTRAL_ADDRESS BLEOTA_DEVICE_ADDRESS BLEOTA_SERVICES
    trap 'rm -r "$BLEOTA_SERVICES"' EXIT
    use_python
    export PATH=$PWD/scripts/guest/bin:$PATH
}

address_of() {
    local answer
    answer=$(dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1" \
        org.freedesktop.DBus.Properties.Get string:org.bluez.Adapter1 string:Address 2>&1) ||
        fail "there is no adapter $1; bluetoothctl list shows which there are, if the daemon runs"
    grep -oE '([0-9A-F]{2}:){5}[0-9A-F]{2}' <<<"$answer"
}

main "$@"
