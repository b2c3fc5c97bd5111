#!/usr/bin/env python3
"""Makes the names of reasons for firmware in C, out of the registry of the specification:

    make-text.py header registry.md            bleota_reasons.h
    make-text.py source registry.md bleota_types.h     bleota_text.c

The texts are an object of their own in the library: firmware that prints none has none of them.
"""

import re
import sys

HEADER = """\
#ifndef BLEOTA_REASONS_H
#define BLEOTA_REASONS_H

// Made by Embedded/Library/make-text.py of spec/registry.md.

#include <stdint.h>

#include "bleota_types.h"

/// Why a session ended, as RESULT and CLOSE say it. A later version may have more.
typedef enum bleota_reason {{
{reasons}
    BLEOTA_REASON_IS_32_BITS = 0x7FFFFFFF,
}} bleota_reason;

#ifdef __cplusplus
extern "C" {{
#endif

/// The name of a reason in the registry; "unknown" for one that this version does not have.
const char *bleota_reason_name(uint32_t reason);

/// What a reason means, in English. What nobody calls is not linked; it takes some {kilobytes} KB.
const char *bleota_reason_text(uint32_t reason);

/// The name of an event, in English.
const char *bleota_event_name(bleota_event event);

#ifdef __cplusplus
}}
#endif

#endif
"""

SOURCE = """\
// Made by Embedded/Library/make-text.py of spec/registry.md.

#include "bleota_reasons.h"

const char *bleota_reason_name(uint32_t reason) {{
    switch (reason) {{
{names}
    default: return "unknown";
    }}
}}

const char *bleota_reason_text(uint32_t reason) {{
    switch (reason) {{
{texts}
    default: return "a reason that this version does not know";
    }}
}}

const char *bleota_event_name(bleota_event event) {{
    switch (event) {{
{events}
    default: return "unknown";
    }}
}}
"""

ROW = re.compile(r"^\| (0x[0-9A-F]{4}) \| (\w+) \| (?:sender|receiver|both) \|[^|]*\| ([^|]+) \|$")
EVENT = re.compile(r"^ +BLEOTA_EVENT_(\w+) = \d+,$", re.M)


def reasons(registry):
    """Numbers, names and meanings, in the order of the registry."""
    section = registry.split("\n## Reasons\n")[1].split("\n## ")[0]
    found = [match.groups() for match in map(ROW.match, section.splitlines()) if match]
    rows = sum(line.startswith("| 0x") for line in section.splitlines())
    if not found or len(found) != rows:
        sys.exit(f"{sys.argv[0]}: {rows - len(found)} of {rows} reasons in the registry are not understood")
    return found


def constant(name):
    """BLEOTA_REASON_NO_SESSION for noSession."""
    return "BLEOTA_REASON_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def wrapped(text):
    """A comment of one line or more, 100 columns wide."""
    lines = ["    ///"]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > 100:
            lines.append("    ///")
        lines[-1] += " " + word
    return "\n".join(lines)


def sentence(meaning):
    return meaning[0].upper() + meaning[1:] + "."


def header(found):
    members = [f"{wrapped(sentence(meaning))}\n    {constant(name)} = {number},"
               for number, name, meaning in found]
    kilobytes = -(-sum(len(meaning) + 1 for _, _, meaning in found) // 1000)
    return HEADER.format(reasons="\n".join(members), kilobytes=kilobytes)


def of_result(meaning):
    """Without what it means in CLOSE, which nobody tells a device."""
    return meaning.split("; in CLOSE: ")[0]


def cases(rows):
    return "\n".join(f'    case {name}: return "{text}";' for name, text in rows)


def source(found, types):
    events = [("BLEOTA_EVENT_" + name, name.lower().replace("_", " "))
              for name in EVENT.findall(types)]
    return SOURCE.format(
        names=cases((constant(name), name) for _, name, _ in found),
        texts=cases((constant(name), of_result(meaning)) for _, name, meaning in found),
        events=cases(events))


def main():
    texts = [open(path, encoding="utf-8").read() for path in sys.argv[2:]]
    found = reasons(texts[0])
    sys.stdout.write(header(found) if sys.argv[1] == "header" else source(found, texts[1]))


main()
