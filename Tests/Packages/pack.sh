#!/usr/bin/env bash
# Makes the packages of what is built, and checks them.
source "$(dirname "$0")/../../scripts/common.sh"

scripts/deb.sh --pack
Tests/Packages/check.sh
