"""receipt.json: signed receipts (section 7.2) as whoever picked the nonce judges them."""

from . import ecdsa_signing, signing, wire
from .book import Book

ED25519, P256 = 1, 2
SEEDS = [wire.sha256(b"bleota test device %d" % index) for index in range(2)]
NONCE = bytes(range(12))
DIGEST = wire.sha256(b"the image of a lamp")
SIDES = {ED25519: signing, P256: ecdsa_signing}
NAMES = {ED25519: "ed25519", P256: "p256"}


def book():
    made = Book("receipt", "Signed receipts (section 7.2), and the frames that carry them.")
    for algorithm in (ED25519, P256):
        add_statements(made, algorithm)
        add_forged(made, algorithm)
        add_malformed(made, algorithm)
    add_other_algorithms(made)
    return made


def key_of(algorithm, index=0):
    return SIDES[algorithm].public_key(SEEDS[index])


def receipt(algorithm, nonce=NONCE, state=1, version=b"2.1", counter=7, digest=DIGEST, index=0, label=None, **more):
    statement = wire.receipt_statement(algorithm, state, version, counter, digest, key_of(algorithm, index), **more)
    message = wire.receipt_message(statement, nonce)
    if label is not None:
        message = label + message[16:]
    return statement + SIDES[algorithm].sign(SEEDS[index], message)


def exchange(data, nonce, link_byte_count):
    """[PROOF-1]: a sender that asks for piece after piece, in sessions that it picks."""
    frames, offset, session = [], 0, 0x2C00 + link_byte_count
    while offset < len(data):
        piece = data[offset:offset + min(link_byte_count - 4, 75)]
        challenge = {"frame": "CHALLENGE", "session": session, "offset": offset, "nonce": nonce.hex()}
        proof = {"frame": "PROOF", "offset": offset, "piece": piece.hex()}
        frames.append({"challenge": wire.control_frame(challenge).hex(),
                       "proof": wire.control_frame(proof, session).hex()})
        offset, session = offset + len(piece), session * 5 % 65536
    return {"linkByteCount": link_byte_count, "frames": frames}


def add_valid(made, identifier, comment, algorithm, nonce=NONCE, links=(), **fields):
    data = receipt(algorithm, nonce, **fields)
    stated = dict({"state": 1, "version": b"2.1", "counter": 7, "digest": DIGEST, "index": 0}, **fields)
    key = key_of(algorithm, stated["index"])
    statement = data[:-64]
    made.valid("%s.%s" % (NAMES[algorithm], identifier), comment, ["PROOF-1", "PROOF-4"], nonce=nonce.hex(),
               key=key.hex(), hex=data.hex(), message=wire.receipt_message(statement, nonce).hex(),
               receipt={"algorithm": algorithm, "state": stated["state"], "version": stated["version"].decode(),
                        "counter": stated["counter"], "imageSHA256": stated["digest"].hex(),
                        "publicKey": key.hex(), "signature": data[-64:].hex()},
               exchanges=[exchange(data, nonce, link) for link in links])


def add_invalid(made, identifier, comment, reason, algorithm, data, nonce=NONCE, key=None):
    made.invalid("%s.%s" % (NAMES[algorithm], identifier), comment, ["PROOF-4"], reason, nonce=nonce.hex(),
                 key=(key or key_of(algorithm)).hex(), hex=data.hex())


def add_statements(made, algorithm):
    add_valid(made, "confirmed", "A device that runs version 2.1 and keeps it.", algorithm, links=(18, 20, 64, 79, 512))
    for name, state in wire.STATES.items():
        digest = bytes(32) if name == "unknown" else DIGEST
        version = b"" if name == "unknown" else b"2.1"
        add_valid(made, "state-" + name.lower(), "The state %s." % name, algorithm, state=state, digest=digest,
                  version=version, links=(18,))
    for byte_count in (1, 2, 63, 64):
        add_valid(made, "version-%d" % byte_count, "A version of %d bytes." % byte_count, algorithm,
                  version=b"v" * byte_count, links=(79,))
    add_valid(made, "version-text", "A version that is not ASCII.", algorithm, version="2.1-β".encode())
    for counter in (0, 255, 4294967295):
        add_valid(made, "counter-%d" % counter, "The counter %d." % counter, algorithm, counter=counter)
    for word, nonce in (("zeros", bytes(12)), ("ones", b"\xff" * 12)):
        add_valid(made, "nonce-" + word, "A nonce of %s." % word, algorithm, nonce=nonce)
    add_valid(made, "other-device", "The receipt of another device.", algorithm, index=1)


def add_forged(made, algorithm):
    right = receipt(algorithm)
    for bit in (0, 95):
        other = bytearray(NONCE)
        other[bit // 8] ^= 1 << bit % 8
        add_invalid(made, "replayed-%d" % bit, "The answer to a nonce of which bit %d differs." % bit, "signature",
                    algorithm, right, nonce=bytes(other))
    add_invalid(made, "other-key", "A right receipt, but of another device.", "key", algorithm,
                receipt(algorithm, index=1))
    swapped = right[:-64 - len(key_of(algorithm))] + key_of(algorithm) + receipt(algorithm, index=1)[-64:]
    add_invalid(made, "signed-by-other", "The key of the device, signed by another.", "signature", algorithm, swapped)
    ends = {"state": 1, "counter": 4, "counter-high": 7, "sha256": 8, "sha256-last": 39, "version": 40,
            "signature": -64, "signature-last": -1}
    for name, at in ends.items():
        changed = bytearray(right)
        changed[at] ^= 2
        reason = "signature"
        add_invalid(made, "changed-" + name, "One bit of %s was changed after signing." % name.replace("-", ", "),
                    reason, algorithm, bytes(changed))
    for name, label in (("manifest", b"bleota manifest1"), ("unlabelled", bytes(16))):
        add_invalid(made, "label-" + name, "Signed with another label.", "signature", algorithm,
                    receipt(algorithm, label=label))
    add_invalid(made, "without-signature", "A signature of zeros.", "signature", algorithm, right[:-64] + bytes(64))


def add_malformed(made, algorithm):
    right = receipt(algorithm)
    for count in (0, 1, 2, 3, 39, len(right) - 64, len(right) - 1):
        add_invalid(made, "cut-%d" % count, "Cut to %d bytes." % count, "length", algorithm, right[:count])
    add_invalid(made, "long", "One byte more.", "length", algorithm, right + b"\0")
    add_invalid(made, "reserved", "The reserved byte is not zero.", "reserved", algorithm,
                receipt(algorithm, reserved=1))
    for state in (5, 255):
        add_invalid(made, "state-%d" % state, "A state that the registry does not list.", "range", algorithm,
                    receipt(algorithm, state=state))
    add_invalid(made, "version-65", "A version of 65 bytes.", "range", algorithm,
                receipt(algorithm, version=b"v" * 65))
    for stated in (2, 4):
        add_invalid(made, "version-says-%d" % stated, "The version has 3 bytes, and its length says %d." % stated,
                    "length", algorithm, receipt(algorithm, version_byte_count=stated))
    add_invalid(made, "version-not-utf8", "A version that is not UTF-8.", "text", algorithm,
                receipt(algorithm, version=b"2.\xff"))


def add_other_algorithms(made):
    right = receipt(ED25519)
    for algorithm in (0, 3, 127, 128, 255):
        made.invalid("algorithm-%d" % algorithm, "An algorithm that the registry does not list.", ["PROOF-4"],
                     "algorithm", nonce=NONCE.hex(), key=key_of(ED25519).hex(),
                     hex=(bytes([algorithm]) + right[1:]).hex())
    made.invalid("algorithm-of-other", "A receipt with Ed25519 that claims ECDSA.", ["PROOF-4"], "length",
                 nonce=NONCE.hex(), key=key_of(ED25519).hex(), hex=(bytes([P256]) + right[1:]).hex())
