#!/usr/bin/env python3
"""Makes bleota_receiver.h of the header that the Swift compiler generates.

    make-header.py GENERATED Functions.swift

The generated one is for compilers that know Swift's attributes. What is left here is plain C99: the
declarations, in the order of the source, and their documentation as it stands in the source.
"""

import re
import sys

HEAD = """\
#ifndef BLEOTA_RECEIVER_H
#define BLEOTA_RECEIVER_H

// Made by Embedded/Library/make-header.py of Sources/BLEOTAReceiverC/Functions.swift.

#include "bleota_reasons.h"
#include "bleota_types.h"

#if defined(__GNUC__)
#define BLEOTA_MUST_USE __attribute__((warn_unused_result))
#else
#define BLEOTA_MUST_USE
#endif

#ifdef __cplusplus
extern "C" {
#endif

"""

TAIL = """
#ifdef __cplusplus
}
#endif

#endif
"""

DECLARATION = re.compile(r"^SWIFT_EXTERN (.*?) (bleota_\w+)\((.*)\) SWIFT_NOEXCEPT( SWIFT_WARN_UNUSED_RESULT)?;")
EXPORT = re.compile(r"^@c\((bleota_\w+)\)")


def declarations(generated):
    """The declarations by name, without the attributes of Swift."""
    found = {}
    for line in generated.splitlines():
        match = DECLARATION.match(line)
        if match:
            result, name, parameters, must_use = match.groups()
            found[name] = declaration(result, name, parameters, must_use is not None)
    return found


def declaration(result, name, parameters, must_use):
    text = f"{result} {name}({parameters})"
    text = re.sub(r" ?_(Nullable|Nonnull)", " ", text)
    text = re.sub(r"(\w+) const( ?\*)", r"const \1\2", text)
    text = re.sub(r"\*\s+", "*", re.sub(r"\s+\*", " *", text))
    text = re.sub(r"\* ?\*", "**", text)
    suffix = " BLEOTA_MUST_USE;" if must_use else ";"
    if len(text + suffix) <= 100:
        return text + suffix
    return text.replace("(", "(\n    ", 1) + suffix


def documented(source):
    """Names with the comments before them, in the order of the source."""
    comment = []
    for line in source.splitlines():
        export = EXPORT.match(line)
        if export:
            yield export.group(1), comment
        comment = comment + [line] if line.startswith("///") else []


def introduction(source):
    """The comment that stands before the first function."""
    return [line for line in source.splitlines() if re.match(r"// ", line)]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        declared = declarations(file.read())
    with open(sys.argv[2], encoding="utf-8") as file:
        source = file.read()
    names = list(documented(source))
    if sorted(declared) != sorted(name for name, _ in names):
        sys.exit(f"{sys.argv[0]}: the source and the generated header export different functions")
    print(HEAD, *introduction(source), sep="\n")
    for name, comment in names:
        print("", *comment, declared[name], sep="\n")
    print(TAIL, end="")


main()
