"""The writing side: every frame, the manifest and the arithmetic, as ../../bleota.md states them.

Written for a reader, not for speed. Nothing here checks ranges: the invalid vectors are made
with the same functions. The reading side is reader.py, which shares no code with this file.
"""

import hashlib
import struct

from . import signing

VERSION = 1
NO_PSEUDO_SESSION = 0  # ECHO REPLY and echo probes belong to no session (section 2.4).

MANIFEST, IMAGE, ECHO = 0, 1, 255  # Objects, section 1.
UNLIMITED = 65535  # Credit, section 5.2.

# Section 2.1: opcode, sending end, and the fields after byte 0 as (name, struct format).
# "8s" and "12s" fields are given as hex; `chunkSize` is in bytes and travels divided by 4.
CONTROL_FRAMES = {
    "OPEN": (1, "sender", [("session", "H"), ("chunkSize", "B"), ("manifestByteCount", "I"),
                           ("transferTag", "8s")]),
    "POLL": (2, "sender", [("session", "H"), ("object", "B"), ("epoch", "B")]),
    "CLOSE": (3, "sender", [("session", "H"), ("reason", "H")]),
    "QUERY": (4, "sender", [("session", "H")]),
    "CHALLENGE": (5, "sender", [("session", "H"), ("offset", "B"), ("nonce", "12s")]),
    "REQUEST": (8, "receiver", [("session", "H"), ("nameTag", "8s")]),
    "ACK": (9, "receiver", [("flags", "B"), ("object", "B"), ("epoch", "B"), ("cumulative", "H"),
                            ("credit", "H"), ("durableByteCount", "I"), ("delay", "B")]),
    "BUSY": (10, "receiver", [("phase", "B"), ("object", "B"), ("epoch", "B"),
                              ("millisecondsLeft", "H")]),
    "RESULT": (11, "receiver", [("reason", "H"), ("detail", "Q")]),
    "ECHO REPLY": (12, "receiver", [("token", "H"), ("byteCount", "H")]),
    "STATUS": (13, "receiver", [("state", "B"), ("runningTag", "8s")]),
    "PROOF": (14, "receiver", [("offset", "B")]),
}

# registry.md, "States of STATUS".
STATES = {"unknown": 0, "confirmed": 1, "onTrial": 2, "installing": 3, "failed": 4}

# registry.md, "Reasons".
REASONS = {
    "verified": 0x0000, "version": 0x0101, "malformedAccount": 0x0102, "noSession": 0x0103,
    "malformedManifest": 0x0104, "unknownAttribute": 0x0105, "silent": 0x0201, "stalled": 0x0202,
    "busy": 0x0301, "noSpace": 0x0302, "storeFailed": 0x0303, "tooLarge": 0x0304,
    "sourceFailed": 0x0305, "manifestMismatch": 0x0401, "blockMismatch": 0x0402,
    "imageMismatch": 0x0403, "unsigned": 0x0501, "notNow": 0x0502,
    "untrustedKey": 0x0503, "badSignature": 0x0504, "wrongHardware": 0x0505,
    "wrongComponent": 0x0506, "downgrade": 0x0507, "expired": 0x0508,
    "unsupportedEncoding": 0x0509, "wrongBase": 0x050A, "wrongRecipient": 0x050B,
    "mostlyHeld": 0x050C, "noSuchObject": 0x0601, "cancelled": 0x0701, "withdrawn": 0x0702,
}

# registry.md, "Manifest attributes".
ATTRIBUTES = {
    "name": 0x01, "version": 0x02, "loadAddress": 0x03, "sketch": 0x04, "hardware": 0x81,
    "component": 0x82, "counter": 0x83, "expiry": 0x84, "encoding": 0x85, "base": 0x86,
    "seal": 0x87,
}

# registry.md, "Compressions", and bit 7 of the byte that they are in (section 4.5).
COMPRESSIONS = {"none": 0, "zlib": 1, "patch": 2}
SEALED = 0x80


def checksum(covered):
    """Section 2.4: CRC-16/IBM-SDLC, one bit at a time. 0x8408 is 0x1021 with its bits reversed."""
    register = 0xFFFF
    for byte in covered:
        register ^= byte
        for _ in range(8):
            carry = register & 1
            register >>= 1
            if carry:
                register ^= 0x8408
    return register ^ 0xFFFF


def seal(body, pseudo_header):
    """Section 2.4: the frame `body` with its checksum, low byte first, at the end."""
    return body + struct.pack("<H", checksum(pseudo_header + body))


def control_pseudo_header(session):
    """Section 2.4: what the checksum of a control frame covers before the frame."""
    return struct.pack("<H", session)


def data_pseudo_header(session, object_number, epoch, index):
    """Section 2.4: what the checksum of a data frame covers before the frame."""
    return struct.pack("<HBBI", session, object_number, epoch, index)


def control_body(fields, version=VERSION):
    """Section 2.1: a control frame without its checksum.

    `fields` is the frame as the JSON files show it: "frame" is its name, tags, bitmap and piece are
    hex, `detail` is a hexadecimal number in a string.
    """
    opcode, _, layout = CONTROL_FRAMES[fields["frame"]]
    body = bytes([version << 4 | opcode])
    for name, kind in layout:
        value = fields[name]
        if name == "chunkSize":
            value //= 4
        elif kind in ("8s", "12s"):
            value = bytes.fromhex(value)
        elif kind == "Q":
            value = int(value, 16)
        body += struct.pack("<" + kind, value)
    return body + bytes.fromhex(fields.get("bitmap", "") + fields.get("piece", ""))


def control_frame(fields, session=None, version=VERSION):
    """Section 2.1: a whole control frame.

    `session` is what the pseudo-header holds. By default that is the frame's own session; ACK,
    BUSY, RESULT, STATUS and PROOF do not carry one, so there it must be given.
    """
    if fields["frame"] == "ECHO REPLY" and session is None:
        session = NO_PSEUDO_SESSION
    if session is None:
        session = fields["session"]
    return seal(control_body(fields, version), control_pseudo_header(session))


def data_frame(session, object_number, epoch, index, payload, poll=False):
    """Section 2.2: a data frame. Only 15 bits of the index travel; the checksum covers all 32."""
    head = struct.pack("<H", (0x8000 if poll else 0) | index % 32768)
    return seal(head + payload, data_pseudo_header(session, object_number, epoch, index))


def echo_probe(token, payload):
    """Section 8: a data frame of object 255 whose index is the token."""
    return data_frame(NO_PSEUDO_SESSION, ECHO, 0, token, payload)


def version_answer(session):
    """[FRAME-4]: RESULT *version* with the lowest and the highest version spoken, here 1 and 1."""
    detail = VERSION | VERSION << 8
    fields = {"frame": "RESULT", "reason": REASONS["version"], "detail": u64(detail)}
    return control_frame(fields, session)


def u64(number):
    """How the JSON files write a 64-bit number, which JSON numbers can't hold in every reader."""
    return "0x%016x" % number


def sha256(data):
    return hashlib.sha256(data).digest()


def tag(data):
    """Sections 1 and 3: the transfer tag of a manifest, the name tag of a name in UTF-8."""
    return sha256(data)[:8].hex()


def verified_detail(image):
    """[END-1]: the first 8 bytes of the image's SHA-256 as a little-endian number."""
    return detail_of(sha256(image))


def detail_of(digest):
    return u64(int.from_bytes(digest[:8], "little"))


def encoding(first_byte, byte_count, digest):
    """Section 4.5: the attribute that says what object 1 becomes."""
    return struct.pack("<BI", first_byte, byte_count) + digest


def sketch(image, k, count):
    """Section 4.5: `count` entries; entry i is of block i * B' // n of the image."""
    block_count = -(-len(image) // (1 << k))
    starts = [(i * block_count // count) << k for i in range(count)]
    return b"".join(sha256(image[start:start + (1 << k)])[:4] for start in starts)


def manifest(image, k, attributes=(), **changes):
    """Section 4.2: the manifest of `image`; `attributes` are (type, value) pairs.

    `changes` replaces single fields, to make manifests that break a rule.
    """
    block_size = 1 << k
    blocks = [image[start:start + block_size] for start in range(0, len(image), block_size)]
    raw_attributes = b"".join(bytes([kind, len(value)]) + value for kind, value in attributes)
    return assemble_manifest(k=k, image_byte_count=len(image), image_hash=sha256(image),
                             attributes=raw_attributes,
                             block_hashes=[sha256(block)[:16] for block in blocks], **changes)


def assemble_manifest(k, image_byte_count, image_hash, attributes, block_hashes, magic=b"BLM1",
                      format_version=1, reserved6=0, reserved14=0, attribute_byte_count=None,
                      signature_byte_count=None, signatures=b""):
    """Section 4.2: the table of the manifest, row by row."""
    if attribute_byte_count is None:
        attribute_byte_count = len(attributes)
    if signature_byte_count is None:
        signature_byte_count = len(signatures)
    return (magic
            + struct.pack("<BBH", format_version, k, reserved6)
            + struct.pack("<IHH", image_byte_count, attribute_byte_count, reserved14)
            + image_hash
            + attributes
            + b"".join(block_hashes)
            + struct.pack("<H", signature_byte_count)
            + signatures)


def signature(algorithm, key_id, value, reserved=0, value_byte_count=None):
    """Section 4.3: one signature; `key_id` are 8 bytes."""
    if value_byte_count is None:
        value_byte_count = len(value)
    return struct.pack("<BBH", algorithm, reserved, value_byte_count) + key_id + value


def signed_message(unsigned):
    """Section 4.3: what is signed of a manifest without signatures, whose last 2 bytes are S."""
    return b"bleota manifest1" + sha256(unsigned[:-2])


def receipt_statement(algorithm, state, version, counter, digest, public_key, reserved=0, version_byte_count=None):
    """Section 7.2: a receipt without its signature. `version` are bytes."""
    if version_byte_count is None:
        version_byte_count = len(version)
    return (struct.pack("<BBBBI", algorithm, state, version_byte_count, reserved, counter)
            + digest + version + public_key)


def receipt_message(statement, nonce):
    """Section 7.2: what is signed."""
    return b"bleota receipt 1" + sha256(nonce + statement)


def signed_manifest(image, k, attributes, seeds):
    """A manifest signed with Ed25519 by each of the private keys `seeds`, of 32 bytes."""
    unsigned = manifest(image, k, attributes)
    message = signed_message(unsigned)
    made = [(sha256(signing.public_key(seed))[:8], signing.sign(seed, message)) for seed in seeds]
    made.sort(key=lambda pair: int.from_bytes(pair[0], "little"))
    entries = b"".join(signature(1, key_id, value) for key_id, value in made)
    return unsigned[:-2] + struct.pack("<H", len(entries)) + entries


def service_data(version, wants_update, reserved=0):
    """Section 10.3: what a device advertises."""
    return bytes([0x80 | reserved | (1 if wants_update else 0)]) + version.encode("utf-8")


def largest_chunk_size(link_byte_count):
    """[CHUNK-1]: 4 bytes of a data frame are not payload; chunks are multiples of 4, to 508."""
    return min((link_byte_count - 4) // 4 * 4, 508)


def chunk_size(link_byte_count):
    """[CHUNK-1] and [CHUNK-2]: frames of at most 244 bytes, or 495 where the link carries 488."""
    if link_byte_count >= 488:
        link_byte_count = min(link_byte_count, 495)
    elif link_byte_count >= 244:
        link_byte_count = 244
    return largest_chunk_size(link_byte_count)


def chunk_index(cumulative, low_bits):
    """[DATA-1]: the number nearest to `cumulative` congruent to 15 bits; may come out negative."""
    distance = (low_bits - cumulative) % 32768
    return cumulative + (distance - 32768 if distance > 16384 else distance)


def cumulative(low_bits, durable_byte_count, chunk_byte_count):
    """[ACK-7]: the smallest congruent number not below the durable part."""
    floor = durable_byte_count // chunk_byte_count
    return floor + (low_bits - floor) % 65536


def epoch_order(present, received):
    """[ACK-8]: older by 1 to 128 modulo 256; whatever is neither that nor the same is newer."""
    behind = (present - received) % 256
    if behind == 0:
        return "same"
    return "older" if behind <= 128 else "newer"


def bitmap(cumulative, arrived):
    """Section 5.1: bit i says that chunk cumulative + 1 + i has arrived; as hex."""
    bits = sum(1 << (index - cumulative - 1) for index in arrived if index > cumulative)
    return bits.to_bytes((bits.bit_length() + 7) // 8, "little").hex()


def pattern(seed, byte_count):
    """Reproducible bytes: the low bytes of SplitMix64 outputs, which is written out here so that
    they do not depend on a library."""
    mask = (1 << 64) - 1
    state = seed & mask
    result = bytearray()
    for _ in range(byte_count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        mixed = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & mask
        result.append((mixed ^ mixed >> 31) & 0xFF)
    return bytes(result)
