# shellcheck shell=bash
# Sourced by the scripts beside it: where the repository is, and how to speak, stop and become root.

set -euo pipefail
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Prints a heading between the steps of a long run.
step() {
    printf '\n== %s\n' "$*"
}

# Ends the script with one sentence on standard error.
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Stops, with the command that its user would have to run, where there is no way to become root.
require_root() {
    [[ $EUID -eq 0 ]] || command -v sudo >/dev/null ||
        fail "this needs root, and there is no sudo; run as root: $*"
}

# Runs a command as root, directly or through sudo. Call `require_root` first.
as_root() {
    $(as_root_prefix) env DEBIAN_FRONTEND=noninteractive "$@"
}

as_root_prefix() {
    [[ $EUID -eq 0 ]] || printf 'sudo '
}

# Runs a command and shows what it printed only if it failed.
quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    [[ $status -eq 0 ]] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# Names the folder with real firmware images to the tests, if scripts/fetch-firmware.sh has filled it. Where there
# is none, they leave out what needs it.
use_firmware() {
    if [[ -z ${BLEOTA_FIRMWARE_DIR:-} && -d $root/.build-firmware ]]; then
        export BLEOTA_FIRMWARE_DIR=$root/.build-firmware
    fi
}

# Prints the folder of the toolchain's own programs (llvm-cov, clang, …). The compiler is asked,
# because `swift` in PATH may be a launcher that lives somewhere else.
toolchain_programs() {
    local resources
    resources=$(swift -print-target-info 2>/dev/null |
        sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
    [[ -d $resources ]] || fail "swift -print-target-info names no runtimeResourcePath"
    cd "$resources/../../bin" && pwd
}
