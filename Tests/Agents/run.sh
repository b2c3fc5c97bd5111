#!/usr/bin/env bash
# Calls the examples for update agents as Mender and hawkBit do, with real receivers on this machine.
# It needs what scripts/build.sh leaves.
source "$(dirname "$0")/../../scripts/common.sh"

export BLEOTA_TOOL=${BLEOTA_TOOL:-.build/release/bleota}
[[ -x $BLEOTA_TOOL ]] || fail "there is no $BLEOTA_TOOL; run: scripts/build.sh"
command -v jq >/dev/null || fail "there is no jq; run: scripts/packages.sh agents"
cd Tests/Agents
PYTHONDONTWRITEBYTECODE=1 python3 -m unittest --quiet test_mender test_hawkbit ||
    fail "an example for agents does not do what docs/agents.md says; see above"
