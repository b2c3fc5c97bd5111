#!/usr/bin/env bash
# Checks the protocol's model (spec/model) with SPIN: that nothing wrong becomes current and nothing stale is
# placed, that a transfer ends whatever is lost, repeated, reordered or killed, that a sender ends whatever a receiver
# answers for ever, and that breaking a rule is found.
#
#     scripts/model.sh         bounds that take a minute
#     scripts/model.sh full    all faults at once: some minutes and 4 GB of memory
source "$(dirname "$0")/common.sh"

transfer=$root/spec/model/transfer.pml
progress=$root/spec/model/progress.pml
model=$transfer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler=$(command -v cc || command -v clang || command -v gcc)
cd "$work"
# What the checker says when it has not searched everything.
cut_short='Search not completed|max search depth too small|MEMLIM bound'

# check safety|progress MUTANT [-DNAME=VALUE…]: prints what the checker said in short; fails if it found an error.
check() {
    local what=$1 mutant=$2
    local flags=(-O2 -DCOLLAPSE -DVECTORSZ=2048 -DMEMLIM=6000) arguments=(-m1000000)
    shift 2
    # What an earlier run left must not answer for this one.
    rm -f pan pan.log ./*.trail
    if [[ $what == safety ]]; then
        flags+=(-DSAFETY -DNOCLAIM)
    else
        flags+=(-DNFAIR=4)
        arguments+=(-a -f)
    fi
    spin -a -DMUTANT="$mutant" "$@" "$model" >spin.log 2>&1 || { cat spin.log >&2; fail "SPIN can't read the model"; }
    "$compiler" "${flags[@]}" -w -o pan pan.c || fail "the checker that SPIN made can't be compiled"
    ./pan "${arguments[@]}" >pan.log 2>&1
    # Of a search that was cut short the checker says "errors: 0" too: it has found none so far.
    if ! grep -q '^pan:1:' pan.log && grep -qE "$cut_short" pan.log; then
        cat pan.log >&2
        fail "the search for ${*:-all faults} was cut short, so it proves nothing: give it more depth or memory"
    fi
    grep -q 'errors: 0' pan.log
}

states() { awk '/states, stored/ { print $1 }' pan.log; }

# holds safety|progress [-DNAME=VALUE…]
holds() {
    local what=$1
    shift
    if ! check "$what" 0 "$@"; then
        cat pan.log >&2
        spin -t -g -l -p -k "$(basename "$model").trail" -DMUTANT=0 "$@" "$model" | tail -200 >&2
        fail "$what does not hold with ${*:-all faults}; above is how"
    fi
    printf '%-9s %12s states  %s\n' "$what" "$(states)" "${*:-all faults}"
}

# broken RULE safety|progress MUTANT [-DNAME=VALUE…]
broken() {
    local rule=$1 what=$2 mutant=$3
    shift 3
    if check "$what" "$mutant" "$@"; then
        fail "the model without $rule is found to be right: the checker does not see what that rule is for"
    fi
    grep -q '^pan:1:' pan.log || { cat pan.log >&2; fail "the checker itself failed"; }
    printf 'without   %-12s %s\n' "$rule" "$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' pan.log)"
}

if [[ ${1:-} == full ]]; then
    holds safety
    holds progress -DREPEATS=0
    exit
fi
holds safety -DREPEATS=0
holds safety -DSENDER_RESTARTS=0
holds safety -DRECEIVER_RESTARTS=0 -DLOSSES=0
holds progress -DREPEATS=0 -DSWAPS=0 -DREJECTIONS=0
holds progress -DLOSSES=0 -DSENDER_RESTARTS=0
holds progress -DSENDER_RESTARTS=0 -DRECEIVER_RESTARTS=0
broken ACK-8 progress 1 -DLOSSES=0 -DRECEIVER_RESTARTS=0 -DSENDER_RESTARTS=0
broken CRC-1 safety 2 -DRECEIVER_RESTARTS=0
broken CRC-1 safety 3 -DREPEATS=0
broken ACK-2 progress 4 -DREPEATS=0 -DSWAPS=0 -DRECEIVER_RESTARTS=0 -DSENDER_RESTARTS=0
broken ACK-13 progress 6 -DLOSSES=0 -DSENDER_RESTARTS=0 -DREJECTIONS=0
broken OPEN-6 progress 5 -DREPEATS=0 -DSWAPS=0 -DREJECTIONS=0 -DSENDER_RESTARTS=0
model=$progress
holds progress
broken TIME-2 progress 1
broken TIME-2 progress 2
broken TIME-2 progress 3
