#!/usr/bin/env python3
"""Prints what the benchmark Codec has measured, and which of its figures are reached.

    scripts/codec-figures.py FILE

FILE holds the JMH JSON of `swift package benchmark`, maybe behind lines of its progress. Speeds are
shown, not judged: the machine may be busy. Ends with status 1 if a frame allocates.
"""

import json
import sys

ROWS = {
    "checksum": "checksum of a frame",
    "packetize": "packetize and encode",
    "decode": "decode and check",
    "reassemble": "reassemble",
    "pipeline": "all of these",
    "machines": "sender and receiver",
    "acknowledgement": "ACK, encode and decode",
    "array": "control: encode to an array",
}
# Shows that allocations are counted: it makes one a frame.
CONTROL = "array"
SPEED_GOALS_MBPS = [
    ("checksum", "the checksum of 244 bytes", 2_000),
    ("pipeline", "packetize, encode, decode and reassemble 240 bytes", 600),
]


def main(path):
    results = read(path)
    missing = ROWS.keys() - results.keys()
    if missing:
        sys.exit(f"codec-figures.py: no figures of {', '.join(sorted(missing))}")
    show_table(results)
    show_goals(results)
    sys.exit(0 if allocations_are_right(results) else 1)


def read(path):
    """The metrics of each benchmark: what JMH calls secondary, by benchmark and name."""
    with open(path, encoding="utf-8") as file:
        line = next((line for line in file if line.startswith("[{")), None)
    if line is None:
        sys.exit(f"codec-figures.py: {path} holds no JMH JSON")
    return {
        element["benchmark"].rsplit(".", 1)[1]: element["secondaryMetrics"]
        for element in json.loads(line)
    }


def value(metrics, name, percentile="50.0"):
    return metrics[name]["scorePercentiles"][percentile]


def show_table(results):
    has_instructions = all("Instructions" in metrics for metrics in results.values())
    print("Frames of 244 bytes, chunks of 240, one core: the medians of all rounds. Beside them,")
    print("the speed of memcpy and of zlib's crc32 over as many bytes, in pieces as long.")
    print(f"\n{'':<28}{'MB/s':>8}{'of memcpy':>12}{'of crc32':>10}{'ns a frame':>12}", end="")
    print(f"{'allocations':>13}" + (f"{'instructions':>14}" if has_instructions else ""))
    for name, title in ROWS.items():
        metrics = results[name]
        print(
            f"{title:<28}{value(metrics, 'Speed (MB/s)'):>8.0f}"
            f"{value(metrics, 'Speed of memcpy (per mille)') / 10:>10.1f} %"
            f"{value(metrics, 'Speed of crc32 (per mille)') / 10:>8.0f} %"
            f"{value(metrics, 'Time a frame (ps)') / 1_000:>12.1f}"
            f"{per_frame(metrics, 'Allocations'):>13.3g}",
            end="",
        )
        print(f"{per_frame(metrics, 'Instructions'):>14.0f}" if has_instructions else "")
    yardsticks = results["checksum"]
    print(f"{'memcpy of 244 bytes':<28}{value(yardsticks, 'memcpy (MB/s)'):>8.0f}")
    print(f"{'crc32 of 244 bytes':<28}{value(yardsticks, 'crc32 (MB/s)'):>8.0f}")
    if not has_instructions:
        print("This machine shows no counters of instructions.")


def per_frame(metrics, name):
    return value(metrics, name) / value(metrics, "Frames")


def show_goals(results):
    print()
    for name, title, goal in SPEED_GOALS_MBPS:
        speed = value(results[name], "Speed (MB/s)")
        best = value(results[name], "Speed (MB/s)", "100.0")
        verdict = "reached" if speed >= goal else "not reached"
        print(f"{verdict}: {title} at {goal} MB/s: {speed:.0f}, at best {best:.0f}")


def allocations_are_right(results):
    """Whether no round of any benchmark but the control allocated, and the control once a frame."""
    is_right = True
    for name in ROWS:
        most = value(results[name], "Allocations", "100.0")
        if name == CONTROL:
            if per_frame(results[name], "Allocations") < 1:
                print("FAILED: the control allocates for each frame, and that was not counted")
                is_right = False
        elif most > 0:
            print(f"FAILED: {ROWS[name]}: {most:.0f} allocations in a round")
            is_right = False
    if is_right:
        print("reached: no allocation, in no round")
    return is_right


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
