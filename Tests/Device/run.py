#!/usr/bin/env python3
"""Tests the reference device in an emulator.

    Tests/Device/run.py                       everything, on all boards
    Tests/Device/run.py --board microbit cut  what has `cut` in its name, on one
    Tests/Device/run.py --jobs 3              three emulators at a time

Needs Python 3.9 or later, qemu-system-arm, and what Embedded/Device/build.sh makes.
"""

import argparse
import concurrent.futures
import multiprocessing
import signal
import sys
import time

sys.dont_write_bytecode = True

import checks  # noqa: E402 - after the line above on purpose
import hostile  # noqa: E402
import power_cuts  # noqa: E402
import pushes  # noqa: E402
import signatures  # noqa: E402
from device import BOARDS  # noqa: E402

# The longest first, so that the last of several jobs is a short one.
SCENARIOS = [
    power_cuts.cut_at_every_operation, power_cuts.cut_at_every_operation_of_small_blocks,
    pushes.push_a_full_slot, power_cuts.kill_and_resume,
    pushes.push_an_image, pushes.push_what_is_there, pushes.push_small_blocks,
    pushes.push_small_chunks, pushes.refuse_images,
    pushes.push_with_slow_flash, pushes.push_with_the_tool, pushes.flash_that_fails,
    pushes.withdraw,
    signatures.refuse_each_edit, signatures.signature_vectors, signatures.verifier_cases,
    signatures.push_signed_images, signatures.push_signed_with_the_tool,
    power_cuts.cut_again_and_again,
    hostile.corpus_alone, hostile.corpus_after_open, hostile.corpus_in_a_transfer,
    hostile.sealed_frames, hostile.noise_on_the_line,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of scenarios; all if none")
    parser.add_argument("--board", choices=BOARDS, help="one board only")
    parser.add_argument("--tool", help="the built tool bleota, for one scenario more")
    parser.add_argument("--jobs", type=int, default=1, help="how many emulators run at a time")
    parser.add_argument("--list", action="store_true", help="list the scenarios and run none")
    options = parser.parse_args()
    chosen = [scenario for scenario in SCENARIOS
              if not options.names or any(name in scenario.__name__ for name in options.names)]
    if options.list:
        return print("\n".join("%-40s %s" % (scenario.__name__, scenario.__doc__.split("\n")[0])
                               for scenario in chosen))
    print("seed 0x%08x (BLEOTA_TEST_SEED repeats it)" % checks.SEED, flush=True)
    boards = [board for board in BOARDS.values() if options.board in (None, board.name)]
    runs = [(scenario, board, options) for scenario in chosen for board in boards
            if board.scenarios is None or scenario.__name__ in board.scenarios]
    # What takes time is the serial line of the emulator, which keeps no processor busy.
    # Forked, for the seed; and Ctrl-C ends each of them, as it does the emulators.
    pool = concurrent.futures.ProcessPoolExecutor(
        options.jobs, multiprocessing.get_context("fork"),
        signal.signal, (signal.SIGINT, signal.SIG_DFL))
    try:
        passed = list(pool.map(run, *zip(*runs)))
    except KeyboardInterrupt:
        return 130
    failures = passed.count(False)
    print("%d of %d failed" % (failures, len(runs)))
    return 1 if failures else 0


def run(scenario, board, options):
    """One scenario on one board; whether it passed."""
    began = time.monotonic()
    try:
        said = scenario(board, options)
    except Exception as error:  # Whatever it is, it is this scenario's, and the others go on.
        print("FAILED %-12s %s: %s: %s" % (
            board.name, scenario.__name__, type(error).__name__, error), flush=True)
        return False
    print("passed %-12s %-40s %5.1f s  %s" % (
        board.name, scenario.__name__, time.monotonic() - began, said or ""), flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
