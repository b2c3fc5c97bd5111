#!/usr/bin/env python3
"""Packs what a maker of a device needs for one target, of what scripts/build-embedded.sh left:

    make-archive.py TARGET FOLDER        prints FOLDER/bleota-receiver-VERSION-TARGET.tar.gz

The same sources make the same bytes: times, owners and orders in the archive are fixed.
"""

import gzip
import io
import os
import pathlib
import re
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = "https://github.com/bleota/bleota"
# 1980-01-01, the first time that every format knows.
TIME = 315532800
GUIDES = ["README.md", "linux.md", "bare-c.md", "zephyr.md", "esp-idf.md", "embedded-swift.md",
          "linux", "bare-c", "zephyr", "esp-idf", "embedded-swift", "trust"]
# The text of the protocol: whoever brings a link of their own needs its bindings.
PROTOCOL = ["bleota.md", "registry.md"]
# The processors, and the compiler with what it is told of them.
TARGETS = {
    "armv7em": ("Cortex-M4 and Cortex-M7, soft-float ABI", "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=soft"),
    "armv7em-hf": ("Cortex-M4F and Cortex-M7, hard-float ABI",
                   "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"),
    "armv8m.main": ("Cortex-M33, M35P, M55 and M85, soft-float ABI",
                    "arm-none-eabi-gcc -mcpu=cortex-m33 -mthumb -mfloat-abi=soft"),
    "armv8m.main-hf": ("Cortex-M33, M35P, M55 and M85, hard-float ABI",
                       "arm-none-eabi-gcc -mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"),
    "armv6m": ("Cortex-M0, M0+, M1, M3 and M23", "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb"),
    "riscv32": ("RISC-V with 32 bits, such as ESP32-C3, -C6 and -H2", "riscv32-unknown-elf-gcc -march=rv32imac -mabi=ilp32"),
    "host": (f"Linux on {os.uname().machine}", "cc"),
}
LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")


def version():
    source = (ROOT / "Sources/BLEOTATool/Bleota.swift").read_text(encoding="utf-8")
    return re.search(r'versionNumber = "([^"]+)"', source).group(1)


def place_of(path):
    """Where a file of the repository is in the archive; None if it is not there."""
    inside = os.path.relpath(path, "Embedded/Guides")
    if inside.split(os.sep)[0] in GUIDES:
        return f"guides/{inside}"
    folder, name = os.path.split(path)
    if folder == "spec" and name in PROTOCOL:
        return f"protocol/{name}"
    return {"Embedded/README.md": "README.md", "LICENSE": "LICENSE"}.get(path)


def with_links(text, folder, new_folder):
    """The text of a page of a folder, for another one of the archive. Links to what that does not have go to the web."""
    def link(match):
        path, mark, fragment = match.group(1).partition("#")
        target = os.path.normpath(os.path.join(folder, path))
        place = place_of(target)
        to = f"{REPOSITORY}/blob/main/{target}" if place is None else os.path.relpath(place, new_folder)
        return f"]({to}{mark}{fragment})"

    return LINK.sub(link, text)


def guides():
    """Names and bytes of the guides."""
    folder = ROOT / "Embedded/Guides"
    for name in GUIDES:
        place = folder / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file():
                data = path.read_bytes()
                if path.suffix == ".md":
                    data = with_links(data.decode("utf-8"), "Embedded/Guides", "guides").encode("utf-8")
                yield f"guides/{path.relative_to(folder)}", data


def readme(target):
    """What it is, how to link it, and the figures of Embedded/README.md."""
    processors, compiler = TARGETS[target]
    page = (ROOT / "Embedded/README.md").read_text(encoding="utf-8")
    figures = with_links(page[page.index("## What it takes"):], "Embedded", ".")
    figures = re.sub(r"<!--.*?-->\n", "", figures)
    page = ROOT / "Embedded/Library/archive" / ("linux.md" if target == "host" else "firmware.md")
    text = with_links(page.read_text(encoding="utf-8"), "Embedded/Library/archive", ".")
    for name, value in (("VERSION", version()), ("TARGET", target), ("PROCESSORS", processors),
                        ("COMPILER", compiler), ("REPOSITORY", REPOSITORY)):
        text = text.replace(f"@{name}@", value)
    return f"{text}\n{figures}".encode("utf-8")


def files(target):
    made = ROOT / ".build-embedded" / target
    yield "README.md", readme(target)
    yield "LICENSE", (ROOT / "LICENSE").read_bytes()
    library = "libBLEOTAReceiverC.a"
    yield library, (made / library).read_bytes()
    for path in sorted((made / "include").iterdir()):
        yield f"include/{path.name}", path.read_bytes()
    yield from guides()
    for name in PROTOCOL:
        text = (ROOT / "spec" / name).read_text(encoding="utf-8")
        yield f"protocol/{name}", with_links(text, "spec", "protocol").encode("utf-8")


def check_links(contents):
    """Stops where a page has a link to what is not in the archive."""
    for name, content in contents.items():
        for link in LINK.findall(content.decode("utf-8")) if name.endswith(".md") else ():
            target = os.path.normpath(os.path.join(os.path.dirname(name), link.partition("#")[0]))
            if not any(other == target or other.startswith(target + "/") for other in contents):
                sys.exit(f"{sys.argv[0]}: {name} has a link to {target}, which the archive does not have")


def packed(folder, contents):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in contents.items():
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), TIME, 0o644
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(data.getvalue(), mtime=0)


def main():
    target, output = sys.argv[1], pathlib.Path(sys.argv[2])
    name = f"bleota-receiver-{version()}-{target}"
    path = output / f"{name}.tar.gz"
    contents = dict(files(target))
    check_links(contents)
    path.write_bytes(packed(name, contents))
    print(path)


if __name__ == "__main__":
    main()
