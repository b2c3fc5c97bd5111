#!/usr/bin/env bash
# Runs stages of scripts/stages.mk with all that they need, side by side, and prints what each took:
#
#     scripts/stages.sh STAGE…      the stages `test` and `check` are all of make test and all of make check
#     scripts/stages.sh --record    writes the times of the last make check into CONTRIBUTING.md
#
# If a stage fails, no stage that needs it begins; the others run all the same, so that one run shows every
# failure. The output of a stage appears when the stage ends, without the lines of tests that passed;
# .build-stages/STAGE.log has all of it. The exit code is 0 if no stage failed. A stage that cannot run on this
# machine ends with 77: it has not failed, and the table says so.
#
# On each processor one stage runs at a time. Beside them run stages that wait more than they compute. Guests wait half of
# their time: one more of them begins while the machine is not busy.
#
# With BLEOTA_EMULATOR_MINUTES in the environment, guests, the reference device and the builds for packages begin only in so
# many minutes after the start, and the others are left out. It is for continuous integration, which is ended after a fixed
# time, on a machine of any speed.
source "$(dirname "$0")/common.sh"

folder=$root/.build-stages
# One line for each stage that has ended: its name, exit code, seconds, and seconds of processor time.
results=$folder/results
page=CONTRIBUTING.md
left_out=77
# A stage that takes longer hangs: it is ended, so that the table names it. A guest that is started again takes 2,800 s, and
# the first build of the tests up to 2,500 s on two processors that others use as well.
stage_seconds_max=3000
# The names of stages are not names of files, although there may be a file of such a name.
make_options=(--file scripts/stages.mk --no-print-directory --always-make)

main() {
    case ${1:-} in
    --run)
        await_processor
        run_stage "${@:2}"
        ;;
    --run-emulator)
        await_processor unless_busy
        run_unless_late "${@:2}"
        ;;
    --run-early)
        await_processor
        run_unless_late "${@:2}"
        ;;
    --run-beside) run_stage "${@:2}" ;;
    --record) record ;;
    -* | '') fail "name stages, for example test, check or guest-push; scripts/stages.mk has all of them" ;;
    *) run_stages "$@" ;;
    esac
}

run_stages() {
    local lock names status=0
    mkdir -p "$folder"
    exec {lock}>"$folder/lock"
    flock --nonblock "$lock" || fail "stages are running in this folder already: wait until they have ended"
    # The make that called this script has its own options.
    unset MAKEFLAGS MFLAGS MAKELEVEL
    names=$(stages_of "$@")
    [[ -n $names ]] || fail "no such stages: $*; scripts/stages.mk has all of them"
    rm -f "$folder"/*.log
    : >"$results"
    date +%s >"$folder/begin"
    if [[ $* == check ]]; then export BLEOTA_TEST_SCOPE=full; fi

    make "${make_options[@]}" --keep-going --jobs=$(($(nproc) + 2)) "$@" {lock}>&- || status=$?

    step "Stages of $*"
    table "$names" "$*" "$SECONDS" | tee "$folder/table"
    show_failures
    [[ $status -eq 0 ]] || fail "$* failed"
    if [[ $* == check ]]; then
        cp "$folder/table" "$folder/check-table"
        # For scripts/release.sh.
        [[ -n $(git status --porcelain) || -n ${BLEOTA_EMULATOR_MINUTES:-} ]] || git rev-parse HEAD >"$folder/checked"
    fi
    printf '\n%s: everything passed in %d min %d s.\n' "$*" $((SECONDS / 60)) $((SECONDS % 60))
}

# Prints the names of all stages that run for the arguments, in the order in which they start.
stages_of() {
    make "${make_options[@]}" --dry-run "$@" | sed -n 's|^scripts/stages\.sh --run[^ ]* \([^ ]*\) .*|\1|p'
}

# Waits until one of the processors is free, and takes it until this process has ended. With an argument, there is one more
# of them unless the machine is busy.
await_processor() {
    local number count
    while true; do
        count=$(nproc)
        if [[ -n ${1:-} ]] && ! is_busy; then count=$((count + 1)); fi
        for ((number = 1; number <= count; number++)); do
            exec 9>"$folder/processor-$number"
            if flock --nonblock 9; then return; fi
        done
        sleep 0.2
    done
}

# Whether more programs wanted to run in the last minute than there are processors.
is_busy() {
    awk -v processors="$(nproc)" '{ exit !($1 > processors) }' /proc/loadavg
}

run_unless_late() {
    if is_late; then leave_out "$1"; else run_stage "$@"; fi
}

# Whether it is too late for an emulator to begin.
is_late() {
    [[ -n ${BLEOTA_EMULATOR_MINUTES:-} ]] && (($(date +%s) - $(<"$folder/begin") > 60 * BLEOTA_EMULATOR_MINUTES))
}

# Argument: the name of the stage.
leave_out() {
    printf 'left out: it would have begun more than %d minutes after the start\n' "$BLEOTA_EMULATOR_MINUTES" >"$folder/$1.log"
    printf '%s %d 0 0\n' "$1" "$left_out" >>"$results"
    show "$1" "$left_out"
}

# Runs one stage: called by scripts/stages.mk. Arguments: its name, its command.
run_stage() {
    local name=$1 log=$folder/$1.log begin=$EPOCHREALTIME status=0
    shift
    printf '.. %s\n' "$name"
    # A process that outlives the stage must not keep the processor.
    # timeout has a process group of its own, which a terminal's interrupt does not reach.
    timeout --kill-after=30 "$stage_seconds_max" "$@" </dev/null >"$log" 2>&1 9>&- &
    trap 'kill "$!" 2>/dev/null' INT TERM
    wait "$!" || status=$?
    [[ $status -ne 124 ]] || printf 'error: the stage was ended after %d s\n' "$stage_seconds_max" >>"$log"
    # Some programs write colours even into files.
    sed -i 's/\x1b\[[0-9;]*m//g' "$log"
    # In a subshell there would be nothing to tell.
    times >"$folder/times.$name"
    printf '%s %d %s %s\n' "$name" "$status" "$(seconds_since "$begin")" \
        "$(processor_seconds <"$folder/times.$name")" >>"$results"
    rm "$folder/times.$name"
    show "$name" "$status"
    [[ $status -eq 0 || $status -eq $left_out ]]
}

seconds_since() {
    awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.0f", to - from }'
}

# Adds up what `times` prints: minutes and seconds, as in 1m2.345s.
processor_seconds() {
    tr ' ' '\n' | awk -F '[ms]' '{ sum += 60 * $1 + $2 } END { printf "%.0f", sum }'
}

# Prints what a stage printed, as a whole, whatever other stages do meanwhile.
show() {
    local turn
    exec {turn}>"$folder/turn"
    flock "$turn"
    step "$1: $(word_for "$2")"
    without_progress <"$folder/$1.log"
}

# Leaves out the steps of builds, and of Swift Testing's lines those of tests that began or passed.
without_progress() {
    grep -vE '^(\[[0-9]+/[0-9]+\] |◇ |➜ |✔ (Test case|Test "|Test [^ ]+\(|Suite )|$)' || true
}

word_for() {
    case ${1:-} in
    0) printf passed ;;
    "$left_out") printf 'left out' ;;
    '') printf 'not run' ;;
    *) printf FAILED ;;
    esac
}

# Prints a line for each stage. Arguments: the names of the stages, the command, the seconds it took.
table() {
    local name status seconds processor sum=0
    printf '| stage | | seconds | processor seconds |\n| --- | --- | ---: | ---: |\n'
    for name in $1; do
        read -r status seconds processor < <(awk -v name="$name" '$1 == name { print $2, $3, $4 }' "$results") || true
        printf '| %s | %s | %s | %s |\n' "$name" "$(word_for "$status")" "${seconds:-–}" "${processor:-–}"
        sum=$((sum + ${processor:-0}))
    done
    printf '| all of %s | | %d | %d |\n' "$2" "$3" "$sum"
}

# Prints in short what failed, at the end, where the reader of a long log finds it.
show_failures() {
    local name status
    while read -r name status _; do
        [[ $status -ne 0 && $status -ne $left_out ]] || continue
        step "$name failed: see $folder/$name.log"
        { grep -v '^◇' "$folder/$name.log" | grep -E 'recorded an issue|[Ee]rror:|[Cc]rash' ||
            tail -n 10 "$folder/$name.log"; } | head -n 10 | cut -c 1-300
        # What ran when the process itself ended.
        grep '^◇' "$folder/$name.log" | tail -n 1 | cut -c 1-300
    done <"$results"
}

record() {
    [[ -s $folder/check-table ]] || fail "there are no times to record: make check has to pass first"
    awk -v table="$folder/check-table" '
        $0 == "<!-- stages -->" { print; while ((getline line < table) > 0) print line; skip = 1; next }
        $0 == "<!-- end -->" { skip = 0 }
        !skip' "$page" >"$folder/page"
    cp "$folder/page" "$page"
}

main "$@"
