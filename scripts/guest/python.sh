#!/usr/bin/env bash
# Prepares .build-guest/python, a Python environment with other makers' Bluetooth tools to test against:
# bleak (a central), bless (a peripheral) and smpclient (which updates devices over bleak), all through bluetoothd,
# and bumble (a whole Bluetooth stack), with what the devices of Tests/Devices need to be served by it. Prints its
# interpreter's path, which is the same in the guest. Where it is there already, nothing else is done.
source "$(dirname "$0")/common.sh"

# These versions were seen to work together. smpmgr stays outside: it wants an older bumble, and no guest uses it.
mapfile -t requirements < <(grep -v '^smpmgr==' Tests/Devices/requirements.txt)
requirements+=(bleak==3.1.0 bless==0.3.0 bumble==0.0.236)
environment=$guests/python

made_from() {
    printf '%s\n' "$(python3 --version)" "${requirements[@]}"
}

command -v python3 >/dev/null || cannot "there is no python3"
mkdir -p "$guests"
exec {lock}>"$guests/python-lock"
flock "$lock"
if ! made_from | cmp -s - "$environment/made-from"; then
    printf 'Installing in %s: %s\n' "$environment" "${requirements[*]}" >&2
    rm -rf "$environment"
    scripts/packages.sh venv >&2 || cannot "Python can't make environments here"
    quietly python3 -m venv "$environment" ||
        cannot "python3 makes no virtual environment (on Debian: apt-get install python3-venv)"
    quietly "$environment/bin/pip" install --no-input "${requirements[@]}" ||
        fail "pip could not install ${requirements[*]}; see above"
    # The guest has its time for better things, and could not keep the result.
    quietly "$environment/bin/python" -m compileall -q "$environment/lib" || true
    made_from >"$environment/made-from"
fi
printf '%s\n' "$environment/bin/python"
