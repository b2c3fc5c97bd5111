#!/usr/bin/env python3
"""Packs spec/vectors for a device, which reads no JSON:

    pack.py [--room BYTES] [--part NUMBER/COUNT] [--spoil ID] FILE… OUTPUT

Each record is a vector: u8 kind, u8 byte count of the id, u16 byte count of the input, u32 byte
count of what is expected, and these three. Numbers are little-endian. What is expected are words:
the program writes what it has read in the same words, and compares the two byte for byte. So what
a vector says is compared in full, and a difference can be read.

Kinds and inputs are those of Sources/VectorKind.swift. A FILE is the name of one in spec/vectors
without `.json`; `transfers` is all of that folder. `--room` leaves out manifests that are longer
than the memory of the device, `--part` all but each COUNT-th vector, for a device whose flash
holds no file whole, and `--spoil` changes the last letter of what is expected of a vector, to show
that it fails then.
"""

import argparse
import json
import struct
import sys
from pathlib import Path

VECTORS = Path(__file__).resolve().parents[2] / "spec" / "vectors"
sys.path.insert(0, str(VECTORS))
sys.dont_write_bytecode = True  # The vectors' folder holds what is committed and no more.
from reference import wire  # noqa: E402

KINDS = ["heading", "senderControl", "receiverControl", "data", "checksum", "chunkSize",
         "chunkIndex", "account", "epochOrder", "direction", "manifestByteCount", "nameTag",
         "manifest", "transfer"]

# What the program says of a control frame, in this order.
FIELDS = {
    "OPEN": ["session", "chunkSize", "manifestByteCount", "transferTag"],
    "POLL": ["session", "object", "epoch"],
    "CLOSE": ["session", "reason"],
    "QUERY": ["session"],
    "CHALLENGE": ["session", "offset", "nonce"],
    "REQUEST": ["session", "nameTag"],
    "ACK": ["flags", "object", "epoch", "cumulative", "credit", "durableByteCount", "delay",
            "bitmap"],
    "BUSY": ["phase", "object", "epoch", "millisecondsLeft"],
    "RESULT": ["reason", "detail"],
    "ECHO REPLY": ["token", "byteCount"],
    "STATUS": ["state", "runningTag"],
    "PROOF": ["offset", "piece"],
}

# Reasons that the modules do not tell apart: to them the encoding of a bitmap is a range.
MERGED = {"bitmap": "range"}

# What links carry and what is advertised is the affair of transports, which no module here is.
ELSEWHERE = {"linkByteCount", "serviceData"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--room", type=int, default=1 << 25)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--spoil")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("output")
    given = parser.parse_args()
    part, part_count = map(int, given.part.split("/"))
    rows = [row for name in given.files
            for place, row in enumerate(packed_file(name, given.room))
            if row[0] == "heading" or place % part_count == part % part_count]
    if given.spoil:
        rows = [spoilt(row) if row[1] == given.spoil else row for row in rows]
    Path(given.output).write_bytes(b"".join(record(*row) for row in rows))


def packed_file(name, room):
    yield "heading", name, b"", ""
    if name == "transfers":
        for path in sorted((VECTORS / name).glob("*.json")):
            tape = json.loads(path.read_text())
            yield "transfer", "transfers." + tape["id"], *packed_transfer(tape)
        return
    for vector in json.loads((VECTORS / (name + ".json")).read_text())["vectors"]:
        if vector.get("operation") in ELSEWHERE:
            continue
        row = PACKERS[name](vector)
        if row[0] != "manifestByteCount" or struct.unpack("<I", row[2][:4])[0] <= room:
            yield row


def spoilt(row):
    kind, identifier, packed, expected = row
    return kind, identifier, packed, expected[:-1] + ("1" if expected[-1] == "0" else "0")


def record(kind, identifier, packed, expected):
    identifier, expected = identifier.encode(), expected.encode()
    head = struct.pack("<BBHI", KINDS.index(kind), len(identifier), len(packed), len(expected))
    return head + identifier + packed + expected


def field(name, value):
    return " %s=%s" % (name, value)


def refused(vector):
    return "refused" + field("reason", MERGED.get(vector["reason"], vector["reason"]))


def is_valid(vector):
    return vector["result"] == "valid"


def counted(data):
    return struct.pack("<H", len(data)) + data


# Frames


def packed_control(vector):
    frame = bytes.fromhex(vector["hex"])
    is_from_sender = vector["from"] == "sender"
    packed = frame if is_from_sender else struct.pack("<H", vector["session"] or 0) + frame
    kind = "senderControl" if is_from_sender else "receiverControl"
    return kind, vector["id"], packed, control_words(vector)


def control_words(vector):
    if is_valid(vector):
        meaning = vector["frame"]
        # Nobody writes a RESULT of another version than the own.
        is_own = meaning.get("version", wire.VERSION) == wire.VERSION
        return frame_words(meaning) + (field("written", vector["hex"]) if is_own else "")
    answer = vector.get("answer")
    return refused(vector) + (field("answer", answer) if answer is not None else "")


def frame_words(meaning):
    name = meaning["frame"]
    return name + "".join(field(member, meaning[member]) for member in FIELDS[name])


def packed_data(vector):
    return "data", vector["id"], data_input(vector), data_words(vector)


def data_input(vector):
    context = vector["context"]
    if context is None:
        return b"\0" + bytes.fromhex(vector["hex"])
    edge = context["edge"]
    return struct.pack(
        "<BHBBIHIBI", 1, context["session"], context["object"], context["epoch"],
        context["objectByteCount"], context["chunkSize"], context["cumulative"],
        edge is not None, edge or 0) + bytes.fromhex(vector["hex"])


def data_words(vector):
    if not is_valid(vector):
        return refused(vector)
    frame = vector["frame"]
    if frame["kind"] == "probe":
        words = "probe" + field("token", frame["token"]) + field("byteCount", frame["byteCount"])
        return words + field("written", vector["hex"]) + field("reply", vector["reply"])
    return ("chunk" + field("poll", int(frame["poll"])) + field("index", frame["index"])
            + field("payload", frame["payload"]) + field("written", vector["hex"]))


def packed_checksum(vector):
    parts = [bytes.fromhex(vector[name]) for name in ("pseudoHeader", "covered", "sent")]
    words = "wrong"
    if is_valid(vector):
        words = "right" + field("checksum", vector["checksum"])
    return "checksum", vector["id"], b"".join(map(counted, parts)), words


# Arithmetic


def packed_arithmetic(vector):
    given, operation = vector["input"], vector["operation"]
    packed = {
        "chunkSize": lambda: struct.pack("<H", given["linkByteCount"]),
        "chunkIndex": lambda: struct.pack("<IH", given["cumulative"], given["low15"]),
        "account": lambda: account_input(given),
        "epochOrder": lambda: struct.pack("<BB", given["present"], given["received"]),
        "direction": lambda: struct.pack("<BB", given["opcode"], given["from"] == "receiver"),
        "manifestByteCount": lambda: manifest_byte_count_input(vector),
        "nameTag": lambda: given["name"].encode(),
    }[operation]()
    return operation, vector["id"], packed, arithmetic_words(vector)


def account_input(given):
    return struct.pack(
        "<IBHHI", given["objectByteCount"], given["chunkSize"] // 4, given["cumulative"],
        given["credit"], given["durableByteCount"]
    ) + bytes.fromhex(given["bitmap"])


def manifest_byte_count_input(vector):
    """How long the manifest is said to be, and its beginning. One that is refused for its length
    is as short as it can be, since nobody has the memory for it."""
    given = vector["input"]
    attributes = private_attributes(given["attributeByteCount"])
    head = struct.pack("<4sBBHIHH32s", b"BLM1", 1, given["k"], 0, given["imageByteCount"],
                       len(attributes), 0, bytes(32)) + attributes
    byte_count = vector.get("output", {}).get("manifestByteCount", max(len(head), 66))
    return struct.pack("<I", byte_count) + head


def private_attributes(byte_count):
    """Attributes of private types that fill so many bytes."""
    packed = b""
    kind = 0x40
    while len(packed) + 2 <= byte_count:
        left = byte_count - len(packed) - 2
        # A single byte left over would be too short for an attribute.
        value = left if left <= 255 else 255 - (left == 256)
        packed += bytes([kind, value]) + bytes(value)
        kind += 1
    return packed


def arithmetic_words(vector):
    operation = vector["operation"]
    if not is_valid(vector):
        return refused(dict(vector, reason="length") if operation == "manifestByteCount"
                       else vector)
    output = vector["output"]
    if operation == "account":
        words = "account" + field("cumulative", output["cumulative"])
        if output["edge"] is not None:
            words += field("edge", output["edge"])
        return words + "".join(field("arrived", index) for index in output["arrived"])
    if operation == "direction":
        return "allowed"
    members = {"chunkSize": ["chunkSize", "frameByteCount"], "chunkIndex": ["index"],
               "epochOrder": ["order"], "manifestByteCount": ["blockCount"],
               "nameTag": ["nameTag"]}[operation]
    return operation + "".join(field(member, output[member]) for member in members)


# Manifests


def packed_manifest(vector):
    manifest = bytes.fromhex(vector["hex"])
    if not is_valid(vector):
        return "manifest", vector["id"], manifest_input(manifest, 0, b""), refused(vector)
    image = vector["image"]
    packed = manifest_input(manifest, image["byteCount"], bytes.fromhex(image["repeat"]))
    words = manifest_words(vector["manifest"], len(manifest))
    words += hash_words(vector) + policy_words(vector["manifest"])
    return "manifest", vector["id"], packed, words


def manifest_input(manifest, image_byte_count, repeated):
    return counted(manifest) + struct.pack("<I", image_byte_count) + counted(repeated)


def manifest_words(stated, byte_count):
    words = ("manifest" + field("k", stated["k"])
             + field("imageByteCount", stated["imageByteCount"])
             + field("byteCount", byte_count) + field("sha256", stated["imageSHA256"]))
    attributes = [field("attribute", attribute["type"]) + field("value", attribute["value"])
                  for attribute in stated["attributes"]]
    # Once in order, and once looked up by type.
    words += "".join(attributes) + " found" + "".join(attributes)
    words += "".join(field("block", block) for block in stated["blockHashes"])
    words += sketch_words(stated)
    for signature in stated["signatures"]:
        words += (field("algorithm", signature["algorithm"]) + field("keyID", signature["keyID"])
                  + field("value", signature["value"]))
    return words


def sketch_words(stated):
    """[ENC-5], [ENC-7]: of which blocks the entries of a sketch are that says something."""
    has = {attribute["type"]: bytes.fromhex(attribute["value"])
           for attribute in stated["attributes"]}
    if 0x04 not in has or 0x85 not in has:
        return ""
    image_byte_count = int.from_bytes(has[0x85][1:5], "little")
    block_count = -(-image_byte_count // (1 << stated["k"]))
    count = len(has[0x04]) // 4
    if count > block_count:
        return ""
    return "".join(field("sketched", index * block_count // count) for index in range(count))


def hash_words(vector):
    """What SHA-256 makes of manifest and image, which are hashed again on the device."""
    stated = vector["manifest"]
    return (" hashes" + field("transferTag", vector["transferTag"])
            + field("image", stated["imageSHA256"])
            + "".join(field("block", block) for block in stated["blockHashes"])
            + field("verifiedDetail", vector["verifiedDetail"]))


def policy_words(stated):
    """Section 4.4: what the four devices of Sources/DeviceModel.swift say, in the order asked."""
    has = {attribute["type"]: bytes.fromhex(attribute["value"])
           for attribute in stated["attributes"]}
    algorithms = [signature["algorithm"] for signature in stated["signatures"]]
    return " policies" + "".join(
        field(name, refusal_words(rules(has, algorithms)))
        for name, rules in [("bare", bare_device), ("strict", strict_device),
                            ("choosy", choosy_device), ("deceived", deceived_device)])


def refusal_words(refusal):
    return "%d/%s" % refusal[:2] if refusal else "taken"


def refusal(name, detail=0):
    return wire.REASONS[name], wire.u64(detail)


def bare_device(has, algorithms):
    """Takes unsigned images that ask for nothing."""
    if 0x81 in has:
        return refusal("wrongHardware")
    if 0x82 in has:
        return refusal("wrongComponent")
    if 0x85 in has:
        return refusal("unsupportedEncoding", has[0x85][0])
    return None


def strict_device(has, algorithms):
    """Takes signed images only, and trusts nobody."""
    return refusal("untrustedKey" if algorithms else "unsigned")


def choosy_device(has, algorithms):
    """Knows its hardware, its part, a counter and the time; undoes compression, not seals. Keys
    of algorithm 1 are trusted, and sign rightly."""
    if 0x81 in has:
        lowest, highest = struct.unpack("<HH", has[0x81][:4])
        if has[0x81][4:] != b"acme/lamp" or not lowest <= 3 <= highest:
            return refusal("wrongHardware")
    elif algorithms:
        return refusal("wrongHardware")
    if has.get(0x82, b"radio") != b"radio":
        return refusal("wrongComponent")
    if int.from_bytes(has.get(0x83, b""), "little") < 7:
        return refusal("downgrade", 7)
    expiry = has.get(0x84)
    if expiry and int.from_bytes(expiry, "little") < 2_000_000_000:
        return refusal("expired", int.from_bytes(expiry, "little"))
    if 0x85 in has and has[0x85][0] & 0x80:
        return refusal("wrongRecipient")
    return None


def deceived_device(has, algorithms):
    """Trusts every key, and finds no signature right."""
    return refusal("badSignature") if algorithms else refusal("unsigned")


def packed_encoding(vector):
    """A device without decoder sees of an encoded image its manifest, and refuses that."""
    image = bytes.fromhex(vector["object"])
    digest = bytes.fromhex(vector["imageSHA256"])
    attributes = [(0x85, wire.encoding(vector["encoding"], vector["imageByteCount"], digest))]
    if vector["base"] is not None:
        attributes.append((0x86, wire.sha256(bytes.fromhex(vector["base"]))))
    if vector["seal"] is not None:
        attributes.append((0x87, bytes.fromhex(vector["seal"])))
    manifest = wire.manifest(image, vector["k"], attributes)
    packed = manifest_input(manifest, len(image), image)
    if not image:
        return "manifest", vector["id"], packed, "refused" + field("reason", "range")
    stated = stated_manifest(vector["k"], image, attributes)
    hashes = {"manifest": stated, "transferTag": wire.tag(manifest),
              "verifiedDetail": wire.detail_of(digest)}
    words = manifest_words(stated, len(manifest)) + hash_words(hashes) + policy_words(stated)
    return "manifest", vector["id"], packed, words


def stated_manifest(k, image, attributes):
    size = 1 << k
    return {"k": k, "imageByteCount": len(image), "imageSHA256": wire.sha256(image).hex(),
            "attributes": [{"type": kind, "value": value.hex()} for kind, value in attributes],
            "blockHashes": [wire.sha256(image[at:at + size])[:16].hex()
                            for at in range(0, len(image), size)],
            "signatures": []}


# Transfers


def packed_transfer(tape):
    """What a receiver is and what it gets, and of what it says what it can't leave open: every
    answer to a poll, the first ACK of each epoch, REQUEST and RESULT. The tape's receiver need
    not send the rest at the same times as another one."""
    frames = tape["frames"]
    said = [row for row in frames if row["from"] == "receiver"]
    accounts = [row["meaning"] for row in said if row["meaning"]["frame"] == "ACK"]
    request = next((row for row in said if row["meaning"]["frame"] == "REQUEST"), None)
    refusal = next(row["meaning"] for row in said if row["meaning"]["frame"] == "RESULT")
    is_refused = tape["outcome"] == "noSpace"
    packed = struct.pack(
        "<BBHIBB", accounts[0]["epoch"], accounts[0]["credit"] == 65535, tape["linkByteCount"],
        int(refusal["detail"], 16) if is_refused else 0xFFFFFFFF, tape.get("damagedBlock", 255),
        request is not None)
    if request:
        packed += struct.pack("<H8s", request["session"],
                              bytes.fromhex(request["meaning"]["nameTag"]))
    heard = [row for row in frames if row["from"] == "sender" and row["arrives"] is not None]
    heard.sort(key=lambda row: row["arrives"])
    packed += struct.pack("<H", len(heard))
    for row in heard:
        frame = bytes.fromhex(row["hex"])
        packed += struct.pack("<IB", row["arrives"], row["channel"] == "data") + counted(frame)
    return packed, transfer_words(tape, said, heard)


def transfer_words(tape, said, heard):
    words, epochs = ["transfer"], set()
    for row in said:
        meaning = row["meaning"]
        if meaning["frame"] == "ACK":
            is_first = meaning["epoch"] not in epochs
            epochs.add(meaning["epoch"])
            if is_first or meaning["flags"]:
                words.append(account_words(meaning))
        elif meaning["frame"] in ("REQUEST", "RESULT"):
            words.append(" " + meaning["frame"] + field("written", row["hex"]))
    # A REQUEST that is lost is said again, when is the receiver's affair.
    words = [word for at, word in enumerate(words) if not at or word != words[at - 1]]
    image = bytes.fromhex(tape["image"]) if tape["outcome"] == "verified" else b""
    dropped = sum(row["fate"] == "dropped" for row in heard)
    ended = wire.REASONS[tape["outcome"]]
    return ("".join(words) + field("ended", ended) + field("dropped", dropped)
            + field("image", wire.sha256(image).hex()))


def account_words(meaning):
    return " ACK" + "".join(field(name, meaning[name]) for name in
                            ("flags", "object", "epoch", "cumulative", "bitmap"))


PACKERS = {"control": packed_control, "data": packed_data, "checksum": packed_checksum,
           "arithmetic": packed_arithmetic, "manifest": packed_manifest,
           "encoding": packed_encoding}

if __name__ == "__main__":
    main()
