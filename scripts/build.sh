#!/usr/bin/env bash
# Builds the tool for use: .build/release/bleota.
source "$(dirname "$0")/common.sh"

scripts/require-swift.sh
scripts/packages.sh build delta
# The tool carries the Swift runtime in itself: it runs where no toolchain is, and outlives updates.
# The toolchain's lld links it without ld.gold's warnings about functions that nothing here calls.
swift build -c release --enable-all-traits --static-swift-stdlib -Xswiftc -use-ld=lld --product bleota
