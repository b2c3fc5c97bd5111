"""data.json: data frames and echo probes, each against what the receiver knows."""

from . import wire
from .book import Book
from .checksum_cases import flip

SESSION, EPOCH = 0x1D07, 7


def book():
    made = Book("data", "Data frames (section 2.2) and echo probes (section 8) as a receiver reads "
                        "them.")
    add_sizes(made)
    add_indices(made)
    add_stale(made)
    add_payloads(made)
    add_edges(made)
    add_damage(made)
    add_probes(made)
    return made


def known(chunk_size=16, object_byte_count=1 << 20, cumulative=100, edge=16483, object_number=1,
          session=SESSION, epoch=EPOCH):
    """What the receiver knows; `edge` None is unlimited credit."""
    return {"session": session, "object": object_number, "epoch": epoch,
            "objectByteCount": object_byte_count, "chunkSize": chunk_size,
            "cumulative": cumulative, "edge": edge}


def frame_for(context, index, payload, poll=False):
    return wire.data_frame(context["session"], context["object"], context["epoch"], index, payload,
                           poll)


def add_valid(made, identifier, comment, flags, context, index, byte_count=None, poll=False):
    payload = wire.pattern(index + 1, context["chunkSize"] if byte_count is None else byte_count)
    made.valid(identifier, comment, flags, context=context,
               hex=frame_for(context, index, payload, poll).hex(),
               frame={"kind": "data", "poll": poll, "index": index, "payload": payload.hex()})


def add_invalid(made, identifier, comment, flags, reason, context, frame):
    made.invalid(identifier, comment, flags, reason, context=context, hex=frame.hex())


def add_sizes(made):
    for size in (12, 16, 20, 56, 176, 240, 488, 504, 508):
        context = known(chunk_size=size)
        add_valid(made, "chunk-%d" % size, "A whole chunk of %d bytes." % size, ["DATA-3"],
                  context, 101)
        for word, index, rest in (("last-1", 5, 1), ("last-short", 5, size - 1),
                                  ("last-whole", 4, size)):
            context = known(chunk_size=size, object_byte_count=size * index + rest, cumulative=3,
                            edge=6)
            add_valid(made, "chunk-%d-%s" % (size, word), "A last chunk of %d bytes." % rest,
                      ["DATA-3"], context, index, rest, poll=True)
    for poll in (False, True):
        add_valid(made, "poll-%s" % ("set" if poll else "clear"), "The poll flag is not part of "
                  "the index.", ["DATA-1"], known(), 100, poll=poll)
        context = known(cumulative=32760, edge=40000)
        add_valid(made, "poll-%s-32767" % ("set" if poll else "clear"), "All 15 bits of the index "
                  "are set.", ["DATA-1"], context, 32767, poll=poll)
    add_valid(made, "one-byte-object", "An object of one byte has one chunk.", ["DATA-3"],
              known(object_byte_count=1, cumulative=0, edge=1), 0, 1, poll=True)
    add_valid(made, "manifest", "A chunk of object 0.", ["DATA-2"],
              known(object_number=0, object_byte_count=108, cumulative=0, edge=8), 6, 12, poll=True)
    add_valid(made, "session-0", "Session 0 is a session.", ["DATA-2"],
              known(session=0, epoch=0, cumulative=0, edge=16), 0)


def add_indices(made):
    big = 4294967295
    for cumulative, index in ((0, 0), (0, 16382), (100, 0), (100, 99), (100, 100), (16384, 1),
                              (32760, 32768), (32768, 32767), (32768, 32768), (40000, 40010),
                              (40000, 23617), (65530, 65536), (65536, 65535), (65536, 81918),
                              (131072, 131071), (1000000, 1000001), (16777216, 16777215),
                              (357913930, 357913940)):
        context = known(chunk_size=12, object_byte_count=big, cumulative=cumulative,
                        edge=cumulative + 16383)
        comment = ("A chunk that was already counted is a valid frame." if index < cumulative
                   else "The nearest number to the cumulative acknowledgement.")
        add_valid(made, "index-%d-at-%d" % (index, cumulative), comment, ["DATA-1"], context,
                  index)
    add_valid(made, "last-of-largest", "The last chunk of the largest image in the smallest "
              "chunks.", ["DATA-1", "DATA-3"],
              known(chunk_size=12, object_byte_count=big, cumulative=357913941, edge=357913942),
              357913941, 3, poll=True)
    for cumulative, low_bits in ((0, 32767), (0, 20000), (0, 16385), (1, 32767), (100, 32700),
                                 (16000, 32400), (16382, 32767)):
        context = known(cumulative=cumulative, edge=cumulative + 16383)
        if low_bits - 32768 - cumulative < -16384:
            raise ValueError("the vector is not negative")
        add_invalid(made, "negative-%d-at-%d" % (low_bits, cumulative), "The nearest number is "
                    "negative.", ["DATA-1"], "index", context,
                    frame_for(context, low_bits, wire.pattern(low_bits, 16)))


def add_stale(made):
    payload = wire.pattern(21, 16)
    for cumulative, other in ((40000, 7242), (40000, 40010 + 32768), (40000, 40010 + 65536),
                              (100000, 100000 - 32768), (100000, 100000 - 65536), (65536, 0),
                              (0, 32768), (16777316, 100)):
        context = known(cumulative=cumulative, edge=None, object_byte_count=1 << 30)
        add_invalid(made, "alias-%d-at-%d" % (other, cumulative), "A frame whose index is off by a "
                    "multiple of 32,768 from the one the receiver takes.", ["DATA-1", "DATA-2"],
                    "checksum", context, frame_for(context, other, payload))
    now = known()
    for field, values in (("session", (SESSION - 1, SESSION + 1, SESSION ^ 0x8000, 0x071D, 0)),
                          ("object", (0, 2, 255)),
                          ("epoch", (EPOCH - 1, EPOCH + 1, 0, 255, EPOCH ^ 0x80))):
        for value in values:
            frame = frame_for(dict(now, **{field: value}), 100, payload)
            add_invalid(made, "other-%s-%d" % (field, value), "A frame of another %s." % field,
                        ["DATA-2"], "checksum", now, frame)
    frame = frame_for(dict(now, session=SESSION - 1, epoch=EPOCH - 1), 100, payload)
    add_invalid(made, "other-session-and-epoch", "A late frame of the session before.", ["DATA-2"],
                "checksum", now, frame)
    add_invalid(made, "no-session", "A data frame at a receiver that is in no session.",
                ["DATA-2"], "checksum", None, frame_for(now, 100, payload))
    add_invalid(made, "control-checksum", "A data frame with the pseudo-header of a control frame.",
                ["DATA-2", "CRC-1"], "checksum", now,
                wire.seal(b"\x64\x00" + payload, wire.control_pseudo_header(SESSION)))
    add_invalid(made, "no-pseudo-header", "A data frame without a pseudo-header.",
                ["DATA-2", "CRC-1"], "checksum", now, wire.seal(b"\x64\x00" + payload, b""))
    short = b"\x07\x1d\x01\x07\x64\x00"
    add_invalid(made, "short-index", "A pseudo-header with an index of 16 bits.",
                ["DATA-2", "CRC-1"], "checksum", now, wire.seal(b"\x64\x00" + payload, short))


def add_payloads(made):
    for size in (12, 16, 240, 508):
        context = known(chunk_size=size)
        for count in sorted({1, size - 4, size - 1, size + 1, size + 4} - {509, 512}):
            add_invalid(made, "payload-%d-of-%d" % (count, size), "%d bytes where a chunk has %d."
                        % (count, size), ["DATA-3"], "payload", context,
                        frame_for(context, 101, wire.pattern(count, count)))
        context = known(chunk_size=size, object_byte_count=size * 4 + 7, cumulative=2, edge=5)
        for count in sorted({1, 6, 8, size}):
            add_invalid(made, "last-payload-%d-of-%d" % (count, size), "%d bytes where the last "
                        "chunk has 7." % count, ["DATA-3"], "payload", context,
                        frame_for(context, 4, wire.pattern(count, count)))
    context = known(object_byte_count=80, cumulative=3, edge=5)
    for count in (15, 1, 17):
        add_invalid(made, "whole-last-payload-%d" % count, "The last chunk is a whole one, and "
                    "this is not.", ["DATA-3"], "payload", context,
                    frame_for(context, 4, wire.pattern(count, count)))
    context = known(object_byte_count=80, cumulative=5, edge=None)
    for index in (5, 6, 16000):
        add_invalid(made, "past-the-object-%d" % index, "There is no chunk of this index, whatever "
                    "the credit.", ["DATA-3", "OBJ-7"], "payload", context,
                    frame_for(context, index, wire.pattern(index, 16)))


def add_edges(made):
    payload = wire.pattern(31, 16)
    for cumulative, edge, indices in ((100, 100, (100, 101)), (100, 101, (101, 102, 16000)),
                                      (100, 164, (164, 165)), (0, 0, (0,)),
                                      (40000, 40064, (40064, 56383)), (1, 5, (5,))):
        context = known(cumulative=cumulative, edge=edge)
        for index in indices:
            add_invalid(made, "edge-%d-index-%d" % (edge, index), "A chunk at or past the edge.",
                        ["DATA-4"], "edge", context, frame_for(context, index, payload))
    for cumulative, edge, index in ((100, 101, 100), (100, 164, 163), (100, 100, 99),
                                    (40000, 40064, 40063), (100, None, 16483), (0, 1, 0)):
        add_valid(made, "below-edge-%s-index-%d" % (edge or "none", index),
                  "Unlimited credit has no edge." if edge is None else "The edge does not forbid "
                  "what is below it.", ["DATA-4", "CREDIT-4"] if edge is None else ["DATA-4"],
                  known(cumulative=cumulative, edge=edge), index)
    context = known(object_byte_count=80, cumulative=3, edge=5)
    add_invalid(made, "priority.edge-before-payload", "At the edge and past the object: the edge "
                "counts.", ["DATA-4"], "edge", context, frame_for(context, 5, payload))


def add_damage(made):
    context = known()
    frame = frame_for(context, 100, wire.pattern(41, 16))
    for length in range(len(frame)):
        add_invalid(made, "cut-%d" % length, "A frame of 20 bytes cut to %d." % length,
                    ["DATA-2"] if length >= 5 else ["DATA-3"],
                    "checksum" if length >= 5 else "length", context, frame[:length])
    add_invalid(made, "long-zero", "A frame and a zero byte.", ["DATA-2"], "checksum", context,
                frame + b"\0")
    for offset in range(len(frame)):
        add_invalid(made, "bit-%02d" % offset, "One bit of byte %d inverted." % offset, ["DATA-2"],
                    "checksum", context, flip(frame, 8 * offset + offset % 6, 1))
    for length in range(2, 17):
        add_invalid(made, "burst-%02d" % length, "%d consecutive bits inverted." % length,
                    ["DATA-2"], "checksum", context, flip(frame, 40 + 4 * length, length))
    add_invalid(made, "poll-flag-added", "The poll flag is covered by the checksum.", ["DATA-2"],
                "checksum", context, bytes([frame[0], frame[1] | 0x80]) + frame[2:])
    add_invalid(made, "bytes-swapped", "Two bytes of the payload exchanged.", ["DATA-2"],
                "checksum", context, frame[:4] + frame[5:3:-1] + frame[6:])
    add_invalid(made, "checksum-swapped", "The checksum high byte first.", ["DATA-2"], "checksum",
                context, frame[:-2] + frame[:-3:-1])
    add_invalid(made, "two-in-one", "Two frames in one datagram.", ["DATA-2"], "checksum", context,
                frame + frame_for(context, 101, wire.pattern(42, 16)))
    add_invalid(made, "no-payload", "A right checksum, but no payload.", ["DATA-3"], "length",
                context, frame_for(context, 100, b""))
    add_invalid(made, "payload-509", "A right checksum, but a payload of 509 bytes.", ["DATA-3"],
                "length", known(chunk_size=508),
                frame_for(context, 100, wire.pattern(43, 509)))


def add_probes(made):
    contexts = ((None, "in no session"), (known(), "in a session"),
                (known(cumulative=40000, edge=40000), "in a session that is far ahead"))
    for size in (16, 20, 180, 244, 492, 512):
        for place, (context, state) in enumerate(contexts):
            token = 0x2A17 + size
            frame = wire.echo_probe(token, wire.pattern(size, size - 4))
            made.valid("probe-%d-state-%d" % (size, place), "An echo probe of %d bytes %s." %
                       (size, state), ["ECHO-1"], context=context, hex=frame.hex(),
                       frame={"kind": "probe", "token": token, "byteCount": size},
                       reply=reply(token, size))
    for token in (0, 1, 32767):
        made.valid("probe-token-%d" % token, "The token has 15 bits.", ["ECHO-1"], context=None,
                   hex=wire.echo_probe(token, bytes(12)).hex(),
                   frame={"kind": "probe", "token": token, "byteCount": 16},
                   reply=reply(token, 16))
    frame = wire.echo_probe(0x2A17, wire.pattern(51, 176))
    for length in (0, 1, 2, 3, 4, 5, 16, 20, 178, 179):
        add_invalid(made, "probe-cut-%d" % length, "A probe of 180 bytes cut to %d is not answered."
                    % length, ["ECHO-1", "FRAME-3"], "length" if length < 5 else "checksum", None,
                    frame[:length])
    for word, header in (("session", (SESSION, 255, 0, 0x2A17)), ("epoch", (0, 255, 1, 0x2A17)),
                         ("object", (0, 254, 0, 0x2A17)), ("alias", (0, 255, 0, 0x2A17 + 32768))):
        add_invalid(made, "probe-wrong-" + word, "A probe with another pseudo-header: %s." % word,
                    ["ECHO-1", "CRC-1"], "checksum", None,
                    wire.seal(frame[:-2], wire.data_pseudo_header(*header)))
    for offset in (0, 1, 2, 90, 178, 179):
        add_invalid(made, "probe-bit-%d" % offset, "One bit of byte %d of a probe inverted." %
                    offset, ["ECHO-1", "FRAME-3"], "checksum", None, flip(frame, 8 * offset + 3, 1))


def reply(token, byte_count):
    fields = {"frame": "ECHO REPLY", "token": token, "byteCount": byte_count}
    return wire.control_frame(fields).hex()
