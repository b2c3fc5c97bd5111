#!/usr/bin/env python3
"""Says in an object for ARM that its enumerations are 32 bits long with every compiler:

    state-enum-size.py OBJECT

Each enumeration of bleota_types.h has a value that needs 32 bits. The attribute Tag_ABI_enum_size of
the ABI has a number for that (3), which clang never writes: it writes 2, and GNU ld warns of that
beside code with short enumerations. Objects for other processors have no such attribute and stay as
they are.

What is read here is in "Addenda to, and Errata in, the ABI for the Arm Architecture", section
"Build attributes", and in the ELF specification.
"""
import struct
import sys

ARM = 40
SECTION_HEADER_OFFSET = 0x20
SECTION_HEADER_COUNT = 0x30
SECTION_HEADER_BYTES = 40
ATTRIBUTES = 0x70000003
TAG_FILE, TAG_ENUM_SIZE = 1, 26
TAG_COMPATIBILITY = 32
# Attributes whose value is a text; of those after 32 it is every odd one.
TEXTS = {4, 5}
ENUMS_ARE_INT, ENUMS_ARE_FORCED_WIDE = 2, 3


def number(data, at):
    """A ULEB128, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def sections(data):
    (start,) = struct.unpack_from("<I", data, SECTION_HEADER_OFFSET)
    (count,) = struct.unpack_from("<H", data, SECTION_HEADER_COUNT)
    for index in range(count):
        yield struct.unpack_from("<10I", data, start + index * SECTION_HEADER_BYTES)


def value_of_enum_size(data, at, end):
    """Where the value of the attribute is, among those of the whole file."""
    while at < end:
        tag, at = number(data, at)
        if tag == TAG_ENUM_SIZE:
            return at
        if tag == TAG_COMPATIBILITY:
            _, at = number(data, at)
        if tag in TEXTS or tag >= TAG_COMPATIBILITY and (tag % 2 or tag == TAG_COMPATIBILITY):
            at = data.index(0, at) + 1
        else:
            _, at = number(data, at)
    sys.exit("state-enum-size.py: the object does not say how long its enumerations are")


def main():
    data = bytearray(open(sys.argv[1], "rb").read())
    if data[4] != 1 or struct.unpack_from("<H", data, 0x12)[0] != ARM:
        return
    for section in sections(data):
        if section[1] != ATTRIBUTES:
            continue
        # The format's version, the length of the vendor's part, the vendor, a tag, a length.
        at = data.index(0, section[4] + 5) + 1
        if data[at] != TAG_FILE:
            sys.exit("state-enum-size.py: the attributes do not begin with those of the file")
        (length,) = struct.unpack_from("<I", data, at + 1)
        value = value_of_enum_size(data, at + 5, at + length)
        if data[value] == ENUMS_ARE_INT:
            data[value] = ENUMS_ARE_FORCED_WIDE
    open(sys.argv[1], "wb").write(data)


main()
