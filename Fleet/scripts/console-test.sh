#!/bin/sh
# Clicks through the console in a headless Chromium, and lets Prometheus's own parser read the
# metrics. Everything in between is real: a nats-server, bleota-fleet, and a small fleet of records.
#
#     console-test.sh            runs the test; builds what it needs first
#     console-test.sh --shots D  keeps its pictures of the pages in the folder D
#
# It needs `chromium`, which `scripts/packages.sh browser` of the folder above installs.
set -eu

cd "$(dirname "$0")/.."
environment=.build-venv
requirements=Tests/Console/requirements.txt

command -v chromium >/dev/null || {
    echo "console-test.sh: there is no chromium: run scripts/packages.sh browser" >&2
    exit 1
}
server=$(scripts/server.sh)
[ -x "$environment/bin/python" ] || python3 -m venv "$environment"
if ! cmp -s "$requirements" "$environment/console-requirements.txt"; then
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        --requirement "$requirements"
    cp "$requirements" "$environment/console-requirements.txt"
fi
swift build --product bleota-fleet
swift build --product ConsoleFleet
exec "$environment/bin/python" Tests/Console/click.py --nats-server "$server" \
    --tool .build/debug/bleota-fleet --fleet .build/debug/ConsoleFleet "$@"
