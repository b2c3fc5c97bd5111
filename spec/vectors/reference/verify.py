"""Reads every vector again, without the code that wrote it, and compares."""

import hashlib

from . import opening, reader
from .replay import Broken, replay


def problems(name, document):
    """What is wrong in one file, as texts that begin with the id of a vector."""
    if document["file"] == "transfer":
        try:
            replay(document)
        except (Broken, reader.Refused) as error:
            return ["%s: %s" % (document["id"], error)]
        return []
    check = {"checksum": check_checksum, "control": check_control, "data": check_data,
             "manifest": check_manifest, "encoding": check_encoding, "receipt": check_receipt,
             "arithmetic": check_arithmetic}[name]
    found = []
    for vector in document["vectors"]:
        found += check_vector(vector, check)
    return found


def check_vector(vector, check):
    """`check` returns the members a valid vector must have, or raises Refused."""
    try:
        expected = check(vector)
    except reader.Refused as refused:
        if vector["result"] == "valid":
            return ["%s: is valid, but the reader refuses it: %s" % (vector["id"], refused.reason)]
        if vector["reason"] != refused.reason:
            return ["%s: the reason is %s, but the reader says %s"
                    % (vector["id"], vector["reason"], refused.reason)]
        return []
    if vector["result"] == "invalid":
        return ["%s: is invalid (%s), but the reader takes it" % (vector["id"], vector["reason"])]
    return ["%s: %s is\n-   %s\n+   %s" % (vector["id"], member, vector.get(member), value)
            for member, value in expected.items() if vector.get(member) != value]


def check_checksum(vector):
    covered = bytes.fromhex(vector["pseudoHeader"]) + bytes.fromhex(vector["covered"])
    value = reader.remainder(covered)
    if bytes.fromhex(vector["sent"]) != value.to_bytes(2, "little"):
        raise reader.Refused("checksum")
    return {"checksum": value}


def check_control(vector):
    frame = bytes.fromhex(vector["hex"])
    if "answer" in vector:
        check_answer(vector, frame)
    return {"frame": reader.read_control(frame, vector["from"], vector["session"])}


def check_answer(vector, frame):
    session = reader.answers_version(frame)
    if session is None or vector["answer"] is None:
        if session is not None or vector["answer"] is not None:
            raise reader.Refused("a wrong answer")
        return
    answer = reader.read_control(bytes.fromhex(vector["answer"]), "receiver", session)
    if answer != {"frame": "RESULT", "version": 1, "reason": 0x0101,
                  "detail": "0x0000000000000101"}:
        raise reader.Refused("a wrong answer")


def check_data(vector):
    fields = reader.read_data(bytes.fromhex(vector["hex"]), vector["context"])
    expected = {"frame": fields}
    if fields["kind"] == "probe":
        reply = reader.read_control(bytes.fromhex(vector["reply"]), "receiver", None)
        if reply != {"frame": "ECHO REPLY", "token": fields["token"],
                     "byteCount": fields["byteCount"]}:
            raise reader.Refused("a wrong reply")
    return expected


def check_manifest(vector):
    data = bytes.fromhex(vector["hex"])
    fields = reader.read_manifest(data)
    for key in vector.get("signedBy", []):
        if not reader.is_signed(data, fields, bytes.fromhex(key)):
            raise reader.Refused("a wrong signature")
    for key in vector.get("notSignedBy", []):
        if reader.is_signed(data, fields, bytes.fromhex(key)):
            raise reader.Refused("a right signature")
    expected = {"manifest": fields,
                "transferTag": hashlib.sha256(data).hexdigest()[:16]}
    if "image" in vector:
        repeat, count = bytes.fromhex(vector["image"]["repeat"]), vector["image"]["byteCount"]
        image = (repeat * (count // len(repeat) + 1))[:count]
        size = 2 ** fields["k"]
        hashed = dict(fields, imageByteCount=count,
                      imageSHA256=hashlib.sha256(image).hexdigest(),
                      blockHashes=[hashlib.sha256(image[at:at + size]).hexdigest()[:32]
                                   for at in range(0, count, size)])
        expected["manifest"] = hashed
        digest = bytes.fromhex(reader.form_of(hashed)["sha256"])
        expected["verifiedDetail"] = "0x" + digest[:8][::-1].hex()
    return expected


def check_encoding(vector):
    data, base, seal, private_key = (None if vector[name] is None else bytes.fromhex(vector[name])
                                     for name in ("object", "base", "seal", "privateKey"))
    image = opening.read_image(data, vector["k"], vector["encoding"], vector["imageByteCount"],
                               vector["imageSHA256"], base, seal, private_key)
    return {"image": image.hex()}


def check_receipt(vector):
    data, nonce = bytes.fromhex(vector["hex"]), bytes.fromhex(vector["nonce"])
    expected = reader.read_receipt(data, nonce, bytes.fromhex(vector["key"]))
    for exchange in vector["exchanges"]:
        check_exchange(exchange, data, nonce)
    return expected


def check_exchange(exchange, data, nonce):
    """[PROOF-1]: the pieces are the receipt, each as long as the link carries."""
    found, most = b"", min(exchange["linkByteCount"] - 4, 75)
    for frames in exchange["frames"]:
        challenge = reader.read_control(bytes.fromhex(frames["challenge"]), "sender", None)
        proof = reader.read_control(bytes.fromhex(frames["proof"]), "receiver", challenge["session"])
        if (challenge["offset"], challenge["nonce"]) != (len(found), nonce.hex()):
            raise reader.Refused("a wrong challenge")
        piece = bytes.fromhex(proof["piece"])
        if proof["offset"] != len(found) or len(piece) != min(most, len(data) - len(found)):
            raise reader.Refused("a wrong piece")
        found += piece
    if found != data:
        raise reader.Refused("a wrong receipt")


def check_arithmetic(vector):
    return {"output": reader.compute(vector["operation"], vector["input"])}
