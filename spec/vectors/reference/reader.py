"""The reading side: from bytes to fields or to the reason for which they are refused.

It shares no code with wire.py, and where there are two ways to compute something it goes the
other one: the checksum by long division of polynomials, "the nearest number" by trying numbers.
The order of the checks is the priority of reasons in ../README.md.
"""

import hashlib

from . import verifying

REASON_VERSION = 0x0101
SENDER_OPCODES = {1: "OPEN", 2: "POLL", 3: "CLOSE", 4: "QUERY", 5: "CHALLENGE"}
RECEIVER_OPCODES = {8: "REQUEST", 9: "ACK", 10: "BUSY", 11: "RESULT", 12: "ECHO REPLY",
                    13: "STATUS", 14: "PROOF"}
LENGTHS = {"OPEN": (18, 18), "POLL": (7, 7), "CLOSE": (7, 7), "QUERY": (5, 5), "REQUEST": (13, 13),
           "ACK": (15, 79), "BUSY": (8, 8), "RESULT": (13, 13), "ECHO REPLY": (7, 7),
           "STATUS": (12, 12), "CHALLENGE": (18, 18), "PROOF": (4, 79)}
TEXT_LIMITS = {1: (0, 1, 255), 2: (0, 1, 64), 0x81: (4, 3, 64), 0x82: (0, 1, 64)}
FIXED_LENGTHS = {3: [8], 4: range(4, 253, 4), 0x83: [4], 0x84: [8], 0x85: [37], 0x86: [32],
                 0x87: [88, 144, 200]}


class Refused(Exception):
    """Bytes that an implementation must not accept; `reason` is one of the README's names."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


def number(data, start, byte_count):
    return int.from_bytes(data[start:start + byte_count], "little")


def remainder(covered):
    """Section 2.4: the same CRC as a remainder of polynomials over GF(2).

    The bits in the order of sending (bit 0 of each byte first) are the coefficients. The initial
    value adds 16 ones to the highest coefficients.
    """
    bits = "".join(format(byte, "08b")[::-1] for byte in covered)
    value = (int(bits or "0", 2) << 16) ^ (0xFFFF << len(bits))
    divisor = 0b1_0001_0000_0010_0001
    while value.bit_length() > 16:
        value ^= divisor << (value.bit_length() - 17)
    return int(format(value ^ 0xFFFF, "016b")[::-1], 2)


def has_right_checksum(frame, pseudo_header):
    return remainder(pseudo_header + frame[:-2]) == number(frame, len(frame) - 2, 2)


def read_control(frame, sent_by, session):
    """Section 2.1. `session` is the reader's own, for frames that do not carry one."""
    if len(frame) < 3:
        raise Refused("length")
    version, opcode = frame[0] // 16, frame[0] % 16
    name = (SENDER_OPCODES if sent_by == "sender" else RECEIVER_OPCODES).get(opcode)
    # RESULT has the same layout in every version, so that RESULT *version* can be read.
    if version != 1 and name != "RESULT":
        raise Refused("version")
    if name is None:
        raise Refused("opcode")
    shortest, longest = LENGTHS[name]
    if not shortest <= len(frame) <= longest:
        raise Refused("length")
    if name == "ECHO REPLY":
        session = 0
    elif name in ("OPEN", "POLL", "CLOSE", "QUERY", "CHALLENGE", "REQUEST"):
        session = number(frame, 1, 2)
    if not has_right_checksum(frame, session.to_bytes(2, "little")):
        raise Refused("checksum")
    fields = control_fields(name, frame)
    if version != 1 and fields["reason"] != REASON_VERSION:
        raise Refused("version")
    check_ranges(fields)
    return fields


def control_fields(name, frame):
    if name == "OPEN":
        return {"frame": name, "session": number(frame, 1, 2), "chunkSize": frame[3] * 4,
                "manifestByteCount": number(frame, 4, 4), "transferTag": frame[8:16].hex()}
    if name == "POLL":
        return {"frame": name, "session": number(frame, 1, 2), "object": frame[3],
                "epoch": frame[4]}
    if name == "CLOSE":
        return {"frame": name, "session": number(frame, 1, 2), "reason": number(frame, 3, 2)}
    if name == "QUERY":
        return {"frame": name, "session": number(frame, 1, 2)}
    if name == "REQUEST":
        return {"frame": name, "session": number(frame, 1, 2), "nameTag": frame[3:11].hex()}
    if name == "ACK":
        return {"frame": name, "flags": frame[1], "object": frame[2], "epoch": frame[3],
                "cumulative": number(frame, 4, 2), "credit": number(frame, 6, 2),
                "durableByteCount": number(frame, 8, 4), "delay": frame[12],
                "bitmap": frame[13:-2].hex()}
    if name == "BUSY":
        return {"frame": name, "phase": frame[1], "object": frame[2], "epoch": frame[3],
                "millisecondsLeft": number(frame, 4, 2)}
    if name == "RESULT":
        return {"frame": name, "version": frame[0] // 16, "reason": number(frame, 1, 2),
                "detail": "0x" + frame[3:11][::-1].hex()}
    if name == "STATUS":
        return {"frame": name, "state": frame[1], "runningTag": frame[2:10].hex()}
    if name == "CHALLENGE":
        return {"frame": name, "session": number(frame, 1, 2), "offset": frame[3],
                "nonce": frame[4:16].hex()}
    if name == "PROOF":
        return {"frame": name, "offset": frame[1], "piece": frame[2:-2].hex()}
    return {"frame": name, "token": number(frame, 1, 2), "byteCount": number(frame, 3, 2)}


def check_ranges(fields):
    """Section 2.3, reserved bits before ranges, the bitmap last."""
    if fields.get("flags", 0) not in (0, 1):
        raise Refused("reserved")
    if fields["frame"] == "OPEN":
        if not (12 <= fields["chunkSize"] <= 508 and 66 <= fields["manifestByteCount"] <= 1 << 25):
            raise Refused("range")
    if "object" in fields and fields["object"] not in (0, 1):
        raise Refused("range")
    if "credit" in fields and 16383 < fields["credit"] < 65535:
        raise Refused("range")
    if "phase" in fields and fields["phase"] not in (1, 2, 3, 4):
        raise Refused("range")
    if "state" in fields and fields["state"] > 4:
        raise Refused("range")
    if fields.get("bitmap", "").endswith("00"):
        raise Refused("bitmap")


def answers_version(frame):
    """[FRAME-4]: the session of an OPEN of another version with a right checksum, or None."""
    if len(frame) < 5 or frame[0] % 16 != 1 or frame[0] // 16 == 1:
        return None
    return number(frame, 1, 2) if has_right_checksum(frame, frame[1:3]) else None


def read_data(frame, context):
    """Section 2.2. `context` is what the receiver knows, None if it is in no session."""
    if not 5 <= len(frame) <= 512:
        raise Refused("length")
    poll, low_bits = number(frame, 0, 2) >= 32768, number(frame, 0, 2) % 32768
    index = nearest(context["cumulative"], low_bits, 32768) if context else None
    if index is not None and index >= 0:
        pseudo_header = (context["session"].to_bytes(2, "little")
                         + bytes([context["object"], context["epoch"]])
                         + index.to_bytes(4, "little"))
        if has_right_checksum(frame, pseudo_header):
            return place(index, poll, frame[2:-2], context)
    if has_right_checksum(frame, bytes([0, 0, 255, 0]) + low_bits.to_bytes(4, "little")):
        return {"kind": "probe", "token": low_bits, "byteCount": len(frame)}
    raise Refused("index" if index is not None and index < 0 else "checksum")


def place(index, poll, payload, context):
    """[DATA-4], then [DATA-3]."""
    if context["edge"] is not None and index >= context["edge"]:
        raise Refused("edge")
    start = index * context["chunkSize"]
    end = min(start + context["chunkSize"], context["objectByteCount"])
    if len(payload) != end - start:
        raise Refused("payload")
    return {"kind": "data", "poll": poll, "index": index, "payload": payload.hex()}


def nearest(anchor, low_bits, modulus):
    """The number congruent to `low_bits` that is nearest to `anchor`, found by trying."""
    base = anchor // modulus * modulus + low_bits
    return min((base - modulus, base, base + modulus), key=lambda n: (abs(n - anchor), n))


def smallest_not_below(floor, low_bits, modulus):
    candidate = low_bits
    while candidate < floor:
        candidate += modulus
    return candidate


def read_manifest(data):
    """Section 4.2."""
    if not 66 <= len(data) <= 33554432:
        raise Refused("length")
    if data[:4] != bytes([0x42, 0x4C, 0x4D, 0x31]):
        raise Refused("magic")
    if data[4] != 1:
        raise Refused("version")
    if any(data[offset] for offset in (6, 7, 14, 15)):
        raise Refused("reserved")
    k, image_byte_count, attribute_byte_count = data[5], number(data, 8, 4), number(data, 12, 2)
    if not 8 <= k <= 16 or image_byte_count == 0 or attribute_byte_count > 4096:
        raise Refused("range")
    whole, rest = divmod(image_byte_count, 2 ** k)
    block_count = whole + (1 if rest else 0)
    hashes = 48 + attribute_byte_count
    end = hashes + 16 * block_count
    if len(data) < end + 2:
        raise Refused("length")
    signature_byte_count = number(data, end, 2)
    if len(data) != end + 2 + signature_byte_count:
        raise Refused("length")
    if signature_byte_count > 4096:
        raise Refused("range")
    return {"k": k, "imageByteCount": image_byte_count, "imageSHA256": data[16:48].hex(),
            "attributes": check_together(read_attributes(data[48:hashes])),
            "blockHashes": [data[at:at + 16].hex() for at in range(hashes, end, 16)],
            "signatures": read_signatures(data[end + 2:])}


def read_signatures(space):
    """Section 4.3, as bytes: whether they are right is for who has the keys."""
    found, last = [], None
    while space:
        if len(space) < 12 or len(space) < 12 + number(space, 2, 2):
            raise Refused("reserved" if len(space) >= 12 and space[1] else "signature")
        if space[1]:
            raise Refused("reserved")
        algorithm, value = space[0], space[12:12 + number(space, 2, 2)]
        place = (algorithm, number(space, 4, 8))
        if last is not None and place <= last:
            raise Refused("signature")
        if algorithm in (1, 2) and len(value) != 64:
            raise Refused("signature")
        found.append({"algorithm": algorithm, "keyID": space[4:12].hex(), "value": value.hex()})
        last = place
        space = space[12 + len(value):]
    return found


def is_signed(data, fields, public_key):
    """Section 4.3: whether the owner of this key signed the manifest. Keys of P-256 are longer than those of Ed25519."""
    algorithm, side = (1, verifying.Ed25519) if len(public_key) == 32 else (2, verifying.P256)
    key_id = hashlib.sha256(public_key).digest()[:8].hex()
    covered = 48 + sum(2 + len(one["value"]) // 2 for one in fields["attributes"]) \
        + 16 * len(fields["blockHashes"])
    message = "bleota manifest1".encode() + hashlib.sha256(data[:covered]).digest()
    return any(one["algorithm"] == algorithm and one["keyID"] == key_id
               and side.is_signature(bytes.fromhex(one["value"]), public_key, message)
               for one in fields["signatures"])


def read_receipt(data, nonce, known_key):
    """Section 7.2, in the order of the README's reasons."""
    if len(data) < 3:
        raise Refused("length")
    key_length = {1: 32, 2: 65}.get(data[0])
    if key_length is None:
        raise Refused("algorithm")
    if data[2] > 64:
        raise Refused("range")
    key_at = 40 + data[2]
    end = key_at + key_length
    if len(data) != end + 64:
        raise Refused("length")
    if data[3]:
        raise Refused("reserved")
    if data[1] > 4:
        raise Refused("range")
    try:
        version = data[40:key_at].decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("text") from None
    if data[key_at:end] != known_key:
        raise Refused("key")
    message = "bleota receipt 1".encode() + hashlib.sha256(nonce + data[:end]).digest()
    side = verifying.Ed25519 if data[0] == 1 else verifying.P256
    if not side.is_signature(data[end:], known_key, message):
        raise Refused("signature")
    return {"message": message.hex(),
            "receipt": {"algorithm": data[0], "state": data[1], "version": version,
                        "counter": number(data, 4, 4), "imageSHA256": data[8:40].hex(),
                        "publicKey": known_key.hex(), "signature": data[end:].hex()}}


def read_attributes(space):
    found = []
    while space:
        if len(space) < 2 or len(space) < 2 + space[1]:
            raise Refused("attribute")
        kind, value = space[0], space[2:2 + space[1]]
        if found and kind <= found[-1]["type"]:
            raise Refused("attribute")
        check_attribute(kind, value)
        found.append({"type": kind, "value": value.hex()})
        space = space[2 + len(value):]
    return found


def check_attribute(kind, value):
    """[MAN-3], [MAN-4], [MAN-5], [MAN-8], [MAN-9] and [MAN-11], with the lengths in the registry."""
    if kind in TEXT_LIMITS:
        start, shortest, longest = TEXT_LIMITS[kind]
        text = value[start:]
        if not start + shortest <= len(value) <= start + longest:
            raise Refused("attribute")
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            raise Refused("text") from None
        if kind == 1 and (text in (b".", b"..") or b"/" in text or b"\0" in text):
            raise Refused("path")
        if kind == 0x81:
            vendor, slash, hardware = text.partition(b"/")
            if not (vendor and slash and hardware) or b"/" in hardware or b"\0" in text:
                raise Refused("hardware")
            if number(value, 0, 2) > number(value, 2, 2):
                raise Refused("hardware")
    elif kind in FIXED_LENGTHS:
        if len(value) not in FIXED_LENGTHS[kind]:
            raise Refused("attribute")
        if kind == 0x85 and (value[0] == 0 or number(value, 1, 4) == 0):
            raise Refused("encoding")
        if kind == 0x87:
            key_ids = [number(value, at, 8) for at in range(32, len(value), 56)]
            if key_ids != sorted(set(key_ids)):
                raise Refused("seal")
    elif kind >= 128:
        raise Refused("unknown")


def check_together(attributes):
    """[MAN-10]: which of encoding, base and seal there may be beside one another."""
    values = {one["type"]: bytes.fromhex(one["value"]) for one in attributes}
    first = values[0x85][0] if 0x85 in values else 0
    compression, is_sealed = first % 128, first >= 128
    if compression < 3 and (0x86 in values) != (compression == 2):
        raise Refused("encoding")
    if (0x87 in values) != is_sealed:
        raise Refused("encoding")
    return attributes


def form_of(fields):
    """Section 4.5: what object 1 of a manifest is, and what it becomes; without an encoding it is the image."""
    values = {one["type"]: bytes.fromhex(one["value"]) for one in fields["attributes"]}
    if 0x85 not in values:
        return {"encoding": 0, "byteCount": fields["imageByteCount"], "sha256": fields["imageSHA256"], "seal": None}
    value = values[0x85]
    return {"encoding": value[0], "byteCount": number(value, 1, 4), "sha256": value[5:].hex(),
            "seal": values.get(0x87)}


def sketched_blocks(count, block_count):
    """Section 4.5: the blocks that `count` entries are of, by steps whose rests add up."""
    step, rest = divmod(block_count, count)
    found, place, total = [], 0, 0
    for _ in range(count):
        found.append(place)
        total += rest
        place += step + (1 if total >= count else 0)
        total %= count
    return found


def read_account(fields):
    """[ACK-7] and [ACK-11]: what an ACK says about an object of a known size."""
    size, chunk = fields["objectByteCount"], fields["chunkSize"]
    count = -(-size // chunk)
    cumulative = smallest_not_below(fields["durableByteCount"] // chunk, fields["cumulative"], 65536)
    bits = int.from_bytes(bytes.fromhex(fields["bitmap"]), "little")
    arrived = [cumulative + 1 + i for i in range(bits.bit_length()) if bits >> i & 1]
    if cumulative > count or fields["durableByteCount"] > size or any(i >= count for i in arrived):
        raise Refused("account")
    edge = None if fields["credit"] == 65535 else cumulative + fields["credit"]
    return {"cumulative": cumulative, "edge": edge, "arrived": arrived}


def advertised(data):
    """Section 10.3."""
    flags = data[0] if data[:1] and 128 <= data[0] < 192 else None
    try:
        version = data[0 if flags is None else 1:].decode("utf-8") or None
    except UnicodeDecodeError:
        version = None
    return {"version": version, "wantsUpdate": flags is not None and flags % 2 == 1}


def compute(operation, given):
    """One vector of arithmetic.json."""
    if operation == "chunkSize":
        return sizes(given["linkByteCount"])
    if operation == "linkByteCount":
        overhead = 5 if given["path"] == "bluezServerNotification" else 3
        return {"linkByteCount": min(given["attMTU"] - overhead, 512)}
    if operation == "chunkIndex":
        index = nearest(given["cumulative"], given["low15"], 32768)
        if index < 0:
            raise Refused("index")
        return {"index": index}
    if operation == "account":
        return read_account(given)
    if operation == "epochOrder":
        older = [(given["present"] - step) % 256 for step in range(1, 129)]
        same = given["present"] == given["received"]
        return {"order": "same" if same else "older" if given["received"] in older else "newer"}
    if operation == "direction":
        known = SENDER_OPCODES if given["from"] == "sender" else RECEIVER_OPCODES
        if given["opcode"] not in known:
            raise Refused("opcode")
        return {"frame": known[given["opcode"]]}
    if operation == "manifestByteCount":
        blocks = -(-given["imageByteCount"] // 2 ** given["k"])
        size = 50 + given["attributeByteCount"] + 16 * blocks
        if size > 33554432:
            raise Refused("range")
        return {"blockCount": blocks, "manifestByteCount": size}
    if operation == "serviceData":
        return advertised(bytes.fromhex(given["data"]))
    if operation == "nameTag":
        return {"nameTag": hashlib.sha256(given["name"].encode("utf-8")).hexdigest()[:16]}
    raise ValueError("no such operation: " + operation)


def sizes(link):
    """[CHUNK-1] and [CHUNK-2] by going down from the largest size."""
    fitting = [size for size in range(508, 11, -4) if size + 4 <= link]
    if not fitting:
        raise Refused("range")
    bound = 495 if link >= 2 * 244 else 244
    packed = [size for size in fitting if size + 4 <= bound]
    return {"largestChunkSize": fitting[0], "chunkSize": packed[0],
            "frameByteCount": packed[0] + 4}
