#!/usr/bin/env bash
# Measures what frames cost (Benchmarks/Codec) and prints it short. Fails if a frame allocates.
source "$(dirname "$0")/common.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The plugin sends the figures to standard output, and what it does to standard error.
swift package --package-path Benchmarks --scratch-path .build-bench \
    benchmark --target Codec --format jmh --path stdout --no-progress --quiet \
    >"$work/figures" 2>"$work/log" ||
    { cat "$work/log" >&2; fail "the benchmark did not run; see above"; }
printf "\n"
python3 scripts/codec-figures.py "$work/figures"
