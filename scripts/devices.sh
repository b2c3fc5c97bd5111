#!/usr/bin/env bash
# Prepares .build-devices, a Python environment for the devices in Tests/Devices, against which the clients of other
# makers' protocols are tested. Prints its interpreter's path. Where it is there already, nothing else is done.
source "$(dirname "$0")/common.sh"

environment=.build-devices
requirements=Tests/Devices/requirements.txt

made_from() {
    python3 --version
    cat "$requirements"
}

command -v python3 >/dev/null || fail "there is no python3; scripts/packages.sh python installs it"
[[ -e $requirements ]] || fail "there is no $requirements"
mkdir -p "$environment"
exec {lock}>"$environment/lock"
flock "$lock"
if ! made_from | cmp -s - "$environment/made-from"; then
    printf 'Installing in %s what %s lists.\n' "$environment" "$requirements" >&2
    rm -rf "${environment:?}"/{bin,lib,lib64,include,made-from}
    scripts/packages.sh venv >&2
    quietly python3 -m venv "$environment" || fail "python3 makes no virtual environment"
    quietly "$environment/bin/pip" install --no-input --requirement "$requirements" ||
        fail "pip could not install what $requirements lists; see above"
    made_from >"$environment/made-from"
fi
printf '%s\n' "$root/$environment/bin/python"
