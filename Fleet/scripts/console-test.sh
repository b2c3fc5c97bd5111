#!/bin/sh
# Clicks through the console in a headless Chromium, and lets Prometheus's own parser read the
# metrics. Everything in between is real: a nats-server, bleota-fleet, and a small fleet of records.
#
#     console-test.sh            builds as test.sh does, and runs the test
#     console-test.sh run        only runs it
#
# With `--shots FOLDER` after that, pictures of the pages are kept in the folder.
#
# It needs `chromium`, which `scripts/packages.sh browser` of the folder above installs.
set -eu

cd "$(dirname "$0")/.."
environment=.build-venv
requirements=Tests/Console/requirements.txt
build=${FLEET_BUILD:-../.build-examples}/debug

command -v chromium >/dev/null || {
    echo "console-test.sh: there is no chromium: run scripts/packages.sh browser" >&2
    exit 1
}
if [ "${1:-}" = run ]; then
    shift
else
    scripts/test.sh build
fi
server=$(scripts/server.sh)
if ! cmp -s "$requirements" "$environment/console-requirements.txt"; then
    [ -x "$environment/bin/python" ] || python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement "$requirements"
    cp "$requirements" "$environment/console-requirements.txt"
fi
exec "$environment/bin/python" Tests/Console/click.py --nats-server "$server" \
    --tool "$build/bleota-fleet" --fleet "$build/ConsoleFleet" "$@"
