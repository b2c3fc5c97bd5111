"""control.json: every control frame, and every way to refuse one."""

from . import wire
from .book import Book

SESSION = 0x1D07
TAG = "0123456789abcdef"
IN_SESSION = ("ACK", "BUSY", "RESULT", "STATUS", "PROOF")  # Their session is the reader's, not in the frame.
# Their opcodes had vectors such as "opcode-4" that were not assigned; those ids are gone.
ASSIGNED_LATER = ("QUERY", "STATUS", "CHALLENGE", "PROOF")
VARIABLE = ("ACK", "PROOF")  # Of any length from the first that a cut may leave, so the checksum tells.

TYPICAL = {
    "OPEN": {"session": SESSION, "chunkSize": 240, "manifestByteCount": 2162, "transferTag": TAG},
    "POLL": {"session": SESSION, "object": 1, "epoch": 7},
    "CLOSE": {"session": SESSION, "reason": wire.REASONS["cancelled"]},
    "QUERY": {"session": SESSION},
    "REQUEST": {"session": SESSION, "nameTag": TAG},
    "ACK": {"flags": 1, "object": 1, "epoch": 7, "cumulative": 4660, "credit": 64,
            "durableByteCount": 1114112, "delay": 12, "bitmap": "fe0340"},
    "BUSY": {"phase": 2, "object": 0, "epoch": 7, "millisecondsLeft": 1500},
    "RESULT": {"reason": wire.REASONS["verified"], "detail": wire.u64(0x1122334455667788)},
    "ECHO REPLY": {"token": 10775, "byteCount": 244},
    "STATUS": {"state": wire.STATES["onTrial"], "runningTag": TAG},
    "CHALLENGE": {"session": SESSION, "offset": 14, "nonce": "000102030405060708090a0b"},
    "PROOF": {"offset": 14, "piece": "a0a1a2a3a4a5a6a7a8a9aaabacad"},
}
SMALLEST = {
    "OPEN": {"session": 0, "chunkSize": 12, "manifestByteCount": 66, "transferTag": "00" * 8},
    "POLL": {"session": 0, "object": 0, "epoch": 0},
    "CLOSE": {"session": 0, "reason": 0},
    "QUERY": {"session": 0},
    "REQUEST": {"session": 0, "nameTag": "00" * 8},
    "ACK": {"flags": 0, "object": 0, "epoch": 0, "cumulative": 0, "credit": 0,
            "durableByteCount": 0, "delay": 0, "bitmap": ""},
    "BUSY": {"phase": 1, "object": 0, "epoch": 0, "millisecondsLeft": 0},
    "RESULT": {"reason": 0, "detail": wire.u64(0)},
    "ECHO REPLY": {"token": 0, "byteCount": 5},
    "STATUS": {"state": 0, "runningTag": "00" * 8},
    "CHALLENGE": {"session": 0, "offset": 0, "nonce": "00" * 12},
    "PROOF": {"offset": 0, "piece": ""},
}
LARGEST = {
    "OPEN": {"session": 65535, "chunkSize": 508, "manifestByteCount": 33554432,
             "transferTag": "ff" * 8},
    "POLL": {"session": 65535, "object": 1, "epoch": 255},
    "CLOSE": {"session": 65535, "reason": 65535},
    "QUERY": {"session": 65535},
    "REQUEST": {"session": 65535, "nameTag": "ff" * 8},
    "ACK": {"flags": 1, "object": 1, "epoch": 255, "cumulative": 65535, "credit": 65535,
            "durableByteCount": 4294967295, "delay": 255, "bitmap": "ff" * 64},
    "BUSY": {"phase": 4, "object": 1, "epoch": 255, "millisecondsLeft": 65535},
    "RESULT": {"reason": 65535, "detail": wire.u64(0xFFFFFFFFFFFFFFFF)},
    "ECHO REPLY": {"token": 32767, "byteCount": 512},
    "STATUS": {"state": 4, "runningTag": "ff" * 8},
    "CHALLENGE": {"session": 65535, "offset": 255, "nonce": "ff" * 12},
    "PROOF": {"offset": 255, "piece": "ff" * 75},
}


def book():
    made = Book("control", "Control frames (sections 2.1, 2.3, 2.4) as one end reads them.")
    add_extremes(made)
    add_fields(made)
    add_lengths(made)
    add_checksums(made)
    add_opcodes(made)
    add_versions(made)
    add_ranges(made)
    add_bitmaps(made)
    add_states(made)
    add_pieces(made)
    return made


def sender_of(name):
    return wire.CONTROL_FRAMES[name][1]


def slug(name):
    return name.lower().replace(" ", "-")


def make(name, changes=(), pseudo_session=None, version=wire.VERSION):
    """A typical frame with some fields changed, and the fields."""
    fields = dict({"frame": name}, **dict(TYPICAL[name], **dict(changes)))
    if pseudo_session is None and name in IN_SESSION:
        pseudo_session = SESSION
    return wire.control_frame(fields, pseudo_session, version), fields


def context(name):
    return {"from": sender_of(name), "session": SESSION if name in IN_SESSION else None}


def add_valid(made, identifier, comment, flags, name, changes=(), version=wire.VERSION):
    frame, fields = make(name, changes, version=version)
    if name == "RESULT":
        fields = {"frame": name, "version": version, "reason": fields["reason"],
                  "detail": fields["detail"]}
    made.valid(identifier, comment, flags, **context(name), hex=frame.hex(), frame=fields)


def add_invalid(made, identifier, comment, flags, reason, name, frame, **extra):
    made.invalid(identifier, comment, flags, reason, **context(name), hex=frame.hex(), **extra)


def add_extremes(made):
    for name in wire.CONTROL_FRAMES:
        for word, comment, values in (("typical", "A typical %s.", TYPICAL),
                                      ("smallest", "%s with every field at its minimum.", SMALLEST),
                                      ("largest", "%s with every field at its maximum.", LARGEST)):
            add_valid(made, slug(name) + "." + word, comment % name, ["FRAME-1", "CRC-1"], name,
                      values[name])


def add_fields(made):
    for session in (1, 255, 256, 0x8000):
        add_valid(made, "open.session-%d" % session, "The session, low byte first.", ["CRC-1"],
                  "OPEN", {"session": session})
    for size in (16, 176, 488, 504):
        add_valid(made, "open.chunk-%d" % size, "The chunk size travels divided by 4.",
                  ["FRAME-1"], "OPEN", {"chunkSize": size})
    for count in (67, 65535, 65536, 33554431):
        add_valid(made, "open.manifest-%d" % count, "A manifest byte count within its range.",
                  ["FRAME-1"], "OPEN", {"manifestByteCount": count})
    for word, reason in wire.REASONS.items():
        for name in ("CLOSE", "RESULT"):
            add_valid(made, slug(name) + ".reason-" + word.lower(), "Reason %s." % word,
                      ["END-5"], name, {"reason": reason})
    for name in ("CLOSE", "RESULT"):
        for reason in (0x0002, 0x050D, 0x05FF, 0x4242):
            add_valid(made, slug(name) + ".reason-%04x" % reason, "An unknown reason is kept as it "
                      "came.", ["FRAME-1"], name, {"reason": reason})
    for object_number in (0, 1):
        for name in ("POLL", "ACK", "BUSY"):
            add_valid(made, "%s.object-%d" % (slug(name), object_number), "Object %d."
                      % object_number, ["FRAME-1"], name, {"object": object_number})
    for credit in (0, 1, 16382, 16383, 65535):
        add_valid(made, "ack.credit-%d" % credit, "65,535 is unlimited credit." if credit == 65535
                  else "A credit within its range.", ["FRAME-1", "CREDIT-4"], "ACK",
                  {"credit": credit})
    for phase in (1, 2, 3, 4):
        add_valid(made, "busy.phase-%d" % phase, "Each phase of the registry.", ["FRAME-1"],
                  "BUSY", {"phase": phase})
    add_valid(made, "ack.not-a-poll", "An ACK that answers no poll.", ["FRAME-1"], "ACK",
              {"flags": 0})
    add_valid(made, "ack.delay-254", "The largest delay that is a measurement.", ["REPAIR-4"],
              "ACK", {"delay": 254})


def add_lengths(made):
    add_invalid(made, "empty", "No byte at all.", ["FRAME-1"], "length", "POLL", b"")
    for name in wire.CONTROL_FRAMES:
        frame, _ = make(name)
        for length in range(1, len(frame)):
            shortest = {"ACK": 15, "PROOF": 4}.get(name, len(frame))
            reason = "checksum" if length >= shortest else "length"
            add_invalid(made, "%s.cut-%d" % (slug(name), length), "The typical %s cut to %d bytes."
                        % (name, length), ["FRAME-1", "FRAME-2"], reason, name, frame[:length])
        add_invalid(made, slug(name) + ".long", "The typical %s and one byte more." % name,
                    ["FRAME-1", "FRAME-2"], "checksum" if name in VARIABLE else "length", name,
                    frame + b"\0")
    for name in wire.CONTROL_FRAMES:
        if name in VARIABLE:
            continue
        frame, fields = make(name)
        pseudo_header = wire.control_pseudo_header(pseudo_session(name, fields))
        for word, body in (("short", frame[:-3]), ("long", frame[:-2] + b"\0")):
            add_invalid(made, "%s.sealed-%s" % (slug(name), word), "One byte too %s, with a right "
                        "checksum." % word, ["FRAME-1"], "length", name,
                        wire.seal(body, pseudo_header))
    short, _ = make("ACK", {"bitmap": ""})
    add_invalid(made, "ack.sealed-short", "An ACK without its delay, with a right checksum.",
                ["FRAME-1"], "length", "ACK",
                wire.seal(short[:-3], wire.control_pseudo_header(SESSION)))
    session = SESSION.to_bytes(2, "little")
    status = wire.control_body(dict(TYPICAL["STATUS"], frame="STATUS"))
    for name, word, comment, body in (
            ("QUERY", "without-session", "A QUERY whose session is in the checksum alone.", b"\x14"),
            ("QUERY", "as-poll", "A QUERY with the fields of POLL.",
             b"\x14" + wire.control_body(dict(TYPICAL["POLL"], frame="POLL"))[1:]),
            ("STATUS", "without-tag", "A STATUS of the state alone.", status[:2]),
            ("STATUS", "with-session", "A STATUS that carries its session.",
             status[:1] + session + status[1:]),
            ("STATUS", "whole-hash", "A STATUS with all 32 bytes of a SHA-256.",
             status[:2] + wire.sha256(b"lamp")),
            ("CHALLENGE", "nonce-of-8", "A CHALLENGE with a nonce of 8 bytes.",
             b"\x15" + session + b"\0" + bytes(8)),
            ("PROOF", "without-offset", "A PROOF without its offset.", b"\x1e"),
            ("PROOF", "of-76", "A PROOF with a piece of 76 bytes.", b"\x1e\0" + bytes(76))):
        add_invalid(made, "%s.sealed-%s" % (slug(name), word), comment, ["FRAME-1"], "length", name,
                    wire.seal(body, session))


def pseudo_session(name, fields):
    return 0 if name == "ECHO REPLY" else fields.get("session", SESSION)


def add_checksums(made):
    for name in wire.CONTROL_FRAMES:
        frame, fields = make(name)
        for offset in range(1, len(frame)):
            damaged = bytearray(frame)
            damaged[offset] ^= 1 << offset % 8
            add_invalid(made, "%s.bit-%02d" % (slug(name), offset), "One bit of byte %d inverted."
                        % offset, ["FRAME-2", "FRAME-3"], "checksum", name, bytes(damaged))
        add_invalid(made, slug(name) + ".checksum-swapped", "The checksum high byte first.",
                    ["FRAME-2"], "checksum", name, frame[:-2] + frame[:-3:-1])
        add_invalid(made, slug(name) + ".no-pseudo-header", "A checksum of the frame alone.",
                    ["FRAME-2", "CRC-1"], "checksum", name, wire.seal(frame[:-2], b""))
        own = pseudo_session(name, fields)
        for word, other in (("next", own + 1), ("swapped", 0x071D), ("none", 0)):
            if other == own:
                continue
            wrong, _ = make(name, pseudo_session=other)
            add_invalid(made, "%s.session-%s" % (slug(name), word), "The checksum of another "
                        "session, 0x%04X." % other, ["FRAME-2", "CRC-1"], "checksum", name, wrong)
    frame, _ = make("ECHO REPLY", pseudo_session=SESSION)
    add_invalid(made, "echo-reply.in-session", "ECHO REPLY with the checksum of a session instead "
                "of 0.", ["FRAME-2", "CRC-1"], "checksum", "ECHO REPLY", frame)
    frame, _ = make("OPEN", {"chunkSize": 0})
    add_invalid(made, "priority.checksum-before-range", "A field out of range in a damaged frame: "
                "the damage counts.", ["FRAME-2"], "checksum", "OPEN", frame[:-1] + b"\0")
    frame, _ = make("ACK", {"flags": 128})
    add_invalid(made, "priority.checksum-before-reserved", "A reserved bit in a damaged frame: "
                "the damage counts.", ["FRAME-2"], "checksum", "ACK", frame[:-1] + b"\0")


def add_opcodes(made):
    listed = {opcode: name for name, (opcode, _, _) in wire.CONTROL_FRAMES.items()}
    for opcode in range(16):
        for sent_by in ("sender", "receiver"):
            name = listed.get(opcode)
            if name and sender_of(name) == sent_by:
                continue
            if name:
                comment, frame = "%s comes from the wrong end." % name, make(name)[0]
            else:
                comment = "Opcode %d is not assigned." % opcode
                body = bytes([0x10 | opcode]) + wire.control_body(dict(TYPICAL["POLL"],
                                                                       frame="POLL"))[1:]
                frame = wire.seal(body, wire.control_pseudo_header(SESSION))
            word = slug(name) if name in ASSIGNED_LATER else "opcode-%d" % opcode
            made.invalid("%s.from-%s" % (word, sent_by), comment, ["FRAME-1"], "opcode",
                         **{"from": sent_by, "session": SESSION}, hex=frame.hex())
    made.invalid("priority.opcode-15-before-length", "An unassigned opcode in a frame of 3 bytes.",
                 ["FRAME-1"], "opcode", **{"from": "sender", "session": SESSION},
                 hex=wire.seal(b"\x1f", wire.control_pseudo_header(SESSION)).hex())


def add_versions(made):
    for name in wire.CONTROL_FRAMES:
        for version in (0, 2, 15):
            frame, _ = make(name, version=version)
            identifier = "%s.version-%d" % (slug(name), version)
            if name == "OPEN":
                add_version_open(made, identifier, "An OPEN of version %d: refused, but answered."
                                 % version, frame)
            elif name != "RESULT":
                add_invalid(made, identifier, "%s of version %d." % (name, version), ["FRAME-1"],
                            "version", name, frame)
    session = SESSION.to_bytes(2, "little")
    for count, comment in ((5, "The shortest OPEN that holds a session."),
                           (20, "An OPEN of a version in which it is longer.")):
        body = (b"\x21" + session + wire.pattern(11, 32))[:count - 2]
        add_version_open(made, "open.version-2-of-%d-bytes" % count, comment,
                         wire.seal(body, session))
    frame, _ = make("OPEN", version=2)
    add_version_open(made, "open.version-2-damaged", "An OPEN of version 2 with a wrong checksum "
                     "gets no answer.", frame[:-1] + bytes([frame[-1] ^ 1]), answered=False)
    add_version_open(made, "open.version-2-of-4-bytes", "Too short for a session and a checksum, "
                     "so there is no answer.", wire.seal(b"\x21\x07", session), answered=False)
    add_valid(made, "result.version-2", "The answer of a receiver that speaks only version 2: the "
              "layout of RESULT is the same in every version.", ["FRAME-4"], "RESULT",
              {"reason": wire.REASONS["version"], "detail": wire.u64(0x0202)}, version=2)
    add_valid(made, "result.version-answer", "The answer of a receiver that speaks only version "
              "1.", ["FRAME-4"], "RESULT",
              {"reason": wire.REASONS["version"], "detail": wire.u64(0x0101)})
    frame, _ = make("RESULT", version=2)
    add_invalid(made, "result.version-2-verified", "Only the reason version is accepted in any "
                "version.", ["FRAME-1"], "version", "RESULT", frame)
    made.invalid("priority.version-before-opcode", "A CHALLENGE of version 2 that is too short.",
                 ["FRAME-1"], "version", **{"from": "sender", "session": SESSION},
                 hex=wire.seal(b"\x25" + session, session).hex())


def add_version_open(made, identifier, comment, frame, answered=True):
    session = int.from_bytes(frame[1:3], "little")
    answer = wire.version_answer(session).hex() if answered else None
    flags = ["FRAME-4"] if answered else ["FRAME-3", "FRAME-4"]
    add_invalid(made, identifier, comment, flags, "version", "OPEN", frame, answer=answer)


def add_ranges(made):
    for bit in range(1, 8):
        for value, word in ((1 << bit, "alone"), (1 << bit | 1, "with-poll")):
            add_invalid(made, "ack.reserved-bit-%d-%s" % (bit, word), "Bit %d of the flags is "
                        "reserved." % bit, ["FRAME-1"], "reserved", "ACK",
                        make("ACK", {"flags": value})[0])
    add_invalid(made, "priority.reserved-before-range", "A reserved bit and an object out of "
                "range.", ["FRAME-1"], "reserved", "ACK",
                make("ACK", {"flags": 2, "object": 2})[0])
    out = [("OPEN", "chunkSize", (0, 4, 8, 512, 1020)),
           ("OPEN", "manifestByteCount", (0, 1, 65, 33554433, 4294967295)),
           ("POLL", "object", (2, 128, 254, 255)), ("ACK", "object", (2, 128, 254, 255)),
           ("BUSY", "object", (2, 128, 254, 255)), ("BUSY", "phase", (0, 5, 128, 255)),
           ("STATUS", "state", (5, 6, 128, 255)), ("ACK", "credit", (16384, 16385, 32767, 32768, 65534))]
    for name, field, values in out:
        for value in values:
            add_invalid(made, "%s.%s-%d" % (slug(name), field.lower(), value), "%s: %s out of its "
                        "range." % (name, field), ["FRAME-1"], "range", name,
                        make(name, {field: value})[0])


def add_bitmaps(made):
    for count in (1, 2, 3, 4, 5, 8, 32, 63, 64):
        for word, bitmap, comment in (
                ("full", b"\xff" * count, "every chunk it can show has arrived"),
                ("last", bytes(count - 1) + b"\x80", "only the last chunk it can show has arrived"),
                ("least", bytes(count - 1) + b"\x01", "the least that needs its last byte")):
            add_valid(made, "ack.bitmap-%d-%s" % (count, word), "A bitmap of %d bytes: %s."
                      % (count, comment), ["FRAME-1"], "ACK", {"bitmap": bitmap.hex()})
        for word, bitmap in (("zeros", bytes(count)), ("zero-end", b"\xff" * (count - 1) + b"\0")):
            if count == 1 and word == "zero-end":
                continue
            add_invalid(made, "ack.bitmap-%d-%s" % (count, word), "A bitmap of %d bytes that ends "
                        "in a zero byte." % count, ["FRAME-1"], "bitmap", "ACK",
                        make("ACK", {"bitmap": bitmap.hex()})[0])
    for count in (65, 66, 128, 497):
        add_invalid(made, "ack.bitmap-%d" % count, "A bitmap of %d bytes is longer than 64." %
                    count, ["FRAME-1"], "length", "ACK",
                    make("ACK", {"bitmap": "ff" * count})[0])


def add_states(made):
    tags = (("", "a tag", TAG), ("-tag-zeros", "a tag of zeros", "00" * 8),
            ("-tag-ones", "a tag of ones", "ff" * 8))
    for name, state in wire.STATES.items():
        for word, comment, tag in tags:
            add_valid(made, "status.state-%s%s" % (name.lower(), word), "State %s and %s."
                      % (name, comment), ["FRAME-1"], "STATUS", {"state": state, "runningTag": tag})
    for session in (0, 1, 65535):
        frame, fields = make("STATUS", pseudo_session=session)
        made.valid("status.session-%d" % session, "The answer to a QUERY of session %d." % session,
                   ["RUN-1", "CRC-1"], **{"from": "receiver", "session": session}, hex=frame.hex(),
                   frame=fields)


def add_pieces(made):
    for count in (1, 2, 13, 14, 64, 74, 75):
        add_valid(made, "proof.piece-%d" % count, "A piece of %d bytes." % count, ["PROOF-1", "FRAME-1"], "PROOF",
                  {"piece": wire.pattern(91, count).hex()})
    add_valid(made, "proof.piece-zeros", "A piece that ends in zero bytes keeps them.", ["PROOF-1"], "PROOF",
              {"piece": "00" * 9})
    for offset in (0, 1, 127, 128, 254):
        add_valid(made, "challenge.offset-%d" % offset, "The offset %d." % offset, ["PROOF-1"], "CHALLENGE",
                  {"offset": offset})
    for session in (0, 1, 65535):
        frame, fields = make("PROOF", pseudo_session=session)
        made.valid("proof.session-%d" % session, "The answer to a CHALLENGE of session %d." % session,
                   ["PROOF-1", "CRC-1"], **{"from": "receiver", "session": session}, hex=frame.hex(), frame=fields)
