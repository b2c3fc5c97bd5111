#!/usr/bin/env python3
"""Makes one file of what scripts/bench-bluez.sh has measured in guests, and shows it.

    scripts/guest-figures.py FOLDER ACCELERATOR LOAD     prints JSON, as Benchmarks/Results/guest.json has it
    scripts/guest-figures.py --show FILE                 prints such a file as tables

FOLDER has a folder for each radio, with `grid`, the lines of `bleota bench --json`, and `speed`, those of
BluetoothSpeed. LOAD says how busy the machine was that ran the guests. Ends with status 1 if anything is
missing.
"""

import json
import os
import sys

# The folders: what the radio is called, the connection interval in milliseconds, packets in an event.
RADIOS = {
    "15,6": ("15 ms, 6 packets", 15, 6),
    "30,4": ("30 ms, 4 packets", 30, 4),
    "unlimited": ("unlimited", None, None),
    "channels": ("unlimited, three EATT channels", None, None),
}
WITHOUT_GRID = {"channels"}
# A frame has four bytes besides its chunk, and seven before it in the link layer, whose packets have 251.
FRAME_OVERHEAD, VALUE_OVERHEAD, PACKET_BYTES = 4, 7, 251


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--show":
        with open(arguments[1], encoding="utf-8") as file:
            show(json.load(file))
    elif len(arguments) == 3:
        print_lines(document(*arguments))
    else:
        sys.exit("guest-figures.py: name a folder, an accelerator and a load, or --show and a file")


def document(folder, accelerator, load):
    bench, writes, pushes = None, [], []
    for name, radio in RADIOS.items():
        if name not in WITHOUT_GRID:
            events = lines(folder, name, "grid")
            if not events or events[-1]["event"] != "result":
                sys.exit(f"guest-figures.py: the grid of {name} did not come to its end")
            # Where the last one was measured; the guests are the same.
            bench = events[0]
            writes += [row(radio, event) for event in events if event["event"] == "cell"]
        pushes += [push_row(radio, way) for way in lines(folder, name, "speed")]
    processor = "one, emulated by QEMU" if accelerator == "tcg" else "two, of QEMU with KVM"
    return {
        "origin": "measured",
        "adapter": "two emulated controllers of btvirt, hci0 and hci1; no radio",
        "processor": processor,
        "load of the host": load,
        "kernel": bench["kernel"],
        "bluez": bench["bluez"],
        "date": bench["date"],
        "ATT_MTU of the link": bench["attMTU"],
        "seconds of a run": bench["seconds"],
        "writes": writes,
        "pushes": pushes,
    }


def lines(folder, radio, name):
    path = os.path.join(folder, radio, name)
    try:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except (OSError, ValueError) as error:
        sys.exit(f"guest-figures.py: cannot read {name} of {radio}: {error}")


def row(radio, cell):
    """A cell of the grid, in kB/s of 1,000 bytes."""
    ceiling = ceiling_of(radio, cell["mode"], cell["chunkBytes"])
    return {
        "radio": radio[0],
        "ATT_MTU": cell["attMTU"],
        "mode": cell["mode"],
        "runs": cell["runs"],
        "median kB/s": kilobytes(cell["goodputBytesPerSecond"]),
        "lowest": kilobytes(cell["lowestBytesPerSecond"]),
        "highest": kilobytes(cell["highestBytesPerSecond"]),
        "% of ceiling": ceiling and round(cell["goodputBytesPerSecond"] / ceiling * 100, 1),
        "x with response": cell["timesWithResponse"] and round(cell["timesWithResponse"], 1),
        "% resent": round(cell["resentPercent"], 1),
    }


def push_row(radio, way):
    """With the names of the other table: who shows them goes by the order of names in the file."""
    mode, runs = way.pop("way"), way.pop("rounds")
    return {"radio": radio[0], "mode": mode, "runs": runs, **way}


def ceiling_of(radio, mode, chunk):
    """What the radio can carry of an image, in bytes a second: all packets of each event, or one request in
    two events. None where nothing but the processor limits it."""
    _, interval, packets = radio
    if interval is None:
        return None
    if mode == "with response":
        return chunk / (2 * interval / 1000)
    needed = -(-(chunk + FRAME_OVERHEAD + VALUE_OVERHEAD) // PACKET_BYTES)
    return packets / needed * chunk / (interval / 1000)


def kilobytes(rate):
    return round(rate / 1000, 1)


def print_lines(document):
    """One row a line, so that a difference shows what changed."""
    members = []
    for name, value in document.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(element) for element in value)
            members.append(f"{json.dumps(name)}: [\n{rows}\n]")
        else:
            members.append(f"{json.dumps(name)}: {json.dumps(value)}")
    print("{\n" + ",\n".join(members) + "\n}")


def show(document):
    for name, value in document.items():
        if not isinstance(value, list):
            print(f"{name + ':':22} {value}")
    for value in document.values():
        if isinstance(value, list) and value:
            print()
            show_table([list(value[0])] + [list(element.values()) for element in value])


def show_table(rows):
    rows = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
