#!/usr/bin/env bash
# Checks the shell scripts with shellcheck, where there is one.
source "$(dirname "$0")/common.sh"

if command -v shellcheck >/dev/null; then
    shellcheck -x -P SCRIPTDIR scripts/*.sh scripts/guest/*.sh scripts/guest/bin/* .ci/run Embedded/*/*.sh Tests/*/*.sh Tests/*/*/*.sh \
        Fleet/scripts/*.sh Packaging/receiver/start-receiver Packaging/fleet/start Packaging/debian/*.postrm \
        Examples/Mender/bleota-push
else
    printf 'There is no shellcheck here.\n'
    exit 77
fi
