#!/usr/bin/env python3
"""Prints as a header what a build makes of a guide's configuration:

    configuration.py KCONFIG SETTINGS…

KCONFIG is the guide's own; of it come the defaults, so far as no other symbol decides on them. The
SETTINGS are lines such as CONFIG_BT=y; of several files the last one counts.
"""
import re
import sys


def defaults(kconfig):
    symbol = None
    for line in kconfig.splitlines():
        if found := re.match(r"config (\w+)", line):
            symbol = "CONFIG_" + found.group(1)
        elif symbol and (found := re.match(r"\s+default (\S+)$", line)):
            yield symbol, found.group(1)


def settings(text):
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield line.split("=", 1)


values = dict(defaults(open(sys.argv[1]).read()))
for path in sys.argv[2:]:
    values.update(settings(open(path).read()))
for name, value in values.items():
    if value != "n":
        print(f"#define {name} {1 if value == 'y' else value}")
