"""checksum.json: section 2.4 alone, before any rule about fields."""

from . import wire
from .book import Book

FLAGS = ["CRC-1"]

# What a wrong choice of CRC would send for "123456789", named as in the usual catalogues.
OTHER_CRCS = [
    ("ccitt-false", 0x29B1, "not reflected, no final XOR"),
    ("genibus", 0xD64E, "not reflected"),
    ("kermit", 0x2189, "initial value 0, no final XOR"),
    ("mcrf4xx", 0x6F91, "no final XOR"),
    ("xmodem", 0x31C3, "not reflected, initial value 0, no final XOR"),
    ("arc", 0xBB3D, "polynomial 0x8005, initial value 0"),
    ("modbus", 0x4B37, "polynomial 0x8005"),
    ("usb", 0xB4C8, "polynomial 0x8005, initial value 0xFFFF, final XOR 0xFFFF"),
]


def book():
    made = Book("checksum", "CRC-16/IBM-SDLC over a pseudo-header that is not sent and the frame "
                            "without its checksum (section 2.4).")
    add_plain(made)
    add_frames(made)
    add_wrong_algorithms(made)
    add_damage(made)
    return made


def sent(covered):
    return wire.checksum(covered).to_bytes(2, "little")


def add_right(made, identifier, comment, pseudo_header, body):
    covered = pseudo_header + body
    made.valid(identifier, comment, FLAGS, pseudoHeader=pseudo_header.hex(), covered=body.hex(),
               sent=sent(covered).hex(), checksum=wire.checksum(covered))


def add_wrong(made, identifier, comment, pseudo_header, body, wrong):
    made.invalid(identifier, comment, FLAGS, "checksum", pseudoHeader=pseudo_header.hex(),
                 covered=body.hex(), sent=wrong.hex())


def add_plain(made):
    add_right(made, "check", "The check value of the algorithm, 0x906E.", b"", b"123456789")
    add_right(made, "empty", "Nothing at all: the initial value and the final XOR cancel.",
              b"", b"")
    for value in (0x00, 0x01, 0x80, 0xFF):
        add_right(made, "byte-%02x" % value, "One byte.", b"", bytes([value]))
    for count in (2, 16, 508):
        add_right(made, "zeros-%d" % count, "Zeros are not invisible, since the initial value is "
                  "not zero.", b"", bytes(count))
        add_right(made, "ones-%d" % count, "Every bit set.", b"", b"\xff" * count)
    for seed, count in ((1, 12), (2, 16), (3, 240), (4, 488), (5, 512)):
        add_right(made, "pattern-%d" % count, "Bytes without a pattern.", b"",
                  wire.pattern(seed, count))


def add_frames(made):
    for session in (0, 1, 0x1234, 0xFFFF):
        add_right(made, "control-session-%04x" % session,
                  "A POLL behind the pseudo-header of a control frame.",
                  wire.control_pseudo_header(session),
                  wire.control_body({"frame": "POLL", "session": session, "object": 1,
                                     "epoch": 7}))
    add_right(made, "echo-reply", "ECHO REPLY belongs to no session: its pseudo-header is 0.",
              wire.control_pseudo_header(0),
              wire.control_body({"frame": "ECHO REPLY", "token": 0x2A17, "byteCount": 244}))
    for session, number, epoch, index in ((0, 0, 0, 0), (0x1234, 1, 3, 32768),
                                          (0xFFFF, 1, 255, 357913941)):
        add_right(made, "data-index-%d" % index,
                  "A data frame: the pseudo-header holds all 32 bits of the index.",
                  wire.data_pseudo_header(session, number, epoch, index),
                  (index % 32768).to_bytes(2, "little") + wire.pattern(index, 16))
    add_right(made, "echo-probe", "An echo probe: session 0, object 255, epoch 0, the token.",
              wire.data_pseudo_header(0, 255, 0, 0x2A17), b"\x17\x2a" + wire.pattern(9, 12))


def add_wrong_algorithms(made):
    for name, value, difference in OTHER_CRCS:
        add_wrong(made, "algorithm-" + name, "Another CRC of 16 bits: %s." % difference,
                  b"", b"123456789", value.to_bytes(2, "little"))
    add_wrong(made, "high-byte-first", "The right checksum, but high byte first.",
              b"", b"123456789", b"\x90\x6e")
    header, body = wire.control_pseudo_header(0x1234), bytes.fromhex("1234120107")
    add_wrong(made, "no-pseudo-header", "The pseudo-header is left out.", header, body, sent(body))
    add_wrong(made, "pseudo-header-behind", "The pseudo-header comes after the frame.",
              header, body, sent(body + header))
    add_wrong(made, "pseudo-header-swapped", "The session is covered high byte first.",
              header, body, sent(header[::-1] + body))
    add_wrong(made, "complement", "Every bit of the checksum inverted.", header, body,
              bytes(byte ^ 0xFF for byte in sent(header + body)))
    add_wrong(made, "zero", "A checksum of zero is not a wildcard.", header, body, b"\0\0")


def add_damage(made):
    """A CRC of 16 bits detects every single bit error and every burst of at most 16 bits."""
    header = wire.control_pseudo_header(0x1234)
    body = bytes.fromhex("1234120107")
    whole = body + sent(header + body)
    for bit in range(8 * len(whole)):
        damaged = flip(whole, bit, 1)
        add_wrong(made, "bit-%02d" % bit, "One bit of the frame inverted.", header, damaged[:-2],
                  damaged[-2:])
    for length in range(2, 17):
        start = 3 * length % (8 * len(whole) - length)
        damaged = flip(whole, start, length)
        add_wrong(made, "burst-%02d" % length, "%d consecutive bits inverted." % length, header,
                  damaged[:-2], damaged[-2:])
    for bit in range(16):
        add_wrong(made, "session-bit-%02d" % bit, "The frame of a session that differs in one "
                  "bit.", wire.control_pseudo_header(0x1234 ^ 1 << bit), body, whole[-2:])


def flip(data, first_bit, bit_count):
    """`data` with `bit_count` bits inverted, counted in the order of sending."""
    mask = ((1 << bit_count) - 1) << first_bit
    return (int.from_bytes(data, "little") ^ mask).to_bytes(len(data), "little")
