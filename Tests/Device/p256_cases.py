"""What to ask a verifier of ECDSA over P-256: signatures that are right, and where mistakes hide.

What is right is said by the reading side of spec/vectors, and for each case by how it is made.
"""

import base64
import itertools
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "spec" / "vectors"))

from reference import ecdsa_signing, verifying  # noqa: E402 - after the line above on purpose

ORDER, PRIME = ecdsa_signing.ORDER, ecdsa_signing.P
LARGEST = 2 ** 256 - 1
# With x 0 and with y 1: a square root of b, and a root of x³ - 3x + b - 1.
SMALL_POINTS = [(0, 0x66485C780E2F83D72433BD5D84A06BB6541C2AF31DAE871728BF856A174F93F4),
                (0x8D0177EBAB9C6E9E10DB6DD095DBAC0D6375E8A97B70F611875D877F0069D2C7, 1)]
number = ecdsa_signing.number


class Case:
    """A public key, a hash and a signature."""

    def __init__(self, name, key, hash_number, r, s, is_right):
        self.name, self.is_right = name, is_right
        self.record = key + number(hash_number) + number(r) + number(s)


def key_of_pem(path):
    """The 65 bytes of a public key; they are the last of its DER."""
    lines = pathlib.Path(path).read_text("ascii").split("\n")
    return base64.b64decode("".join(line for line in lines if not line.startswith("-")))[-65:]


def sign(private, hash_number, nonce):
    r = ecdsa_signing.affine(ecdsa_signing.multiply(nonce, ecdsa_signing.BASE))[0] % ORDER
    return r, pow(nonce, -1, ORDER) * (hash_number + r * private) % ORDER


def key_for(private):
    return ecdsa_signing.public_key(number(private % ORDER))


def cases():
    draw = random.Random("bleota P-256 cases")
    private = draw.randrange(1, ORDER)
    key, hash_number = key_for(private), draw.getrandbits(256)
    r, s = sign(private, hash_number, draw.randrange(1, ORDER))
    yield Case("right", key, hash_number, r, s, True)
    yield Case("other s", key, hash_number, r, ORDER - s, True)
    yield from changed(key, hash_number, r, s)
    yield from edges(key, hash_number)
    yield from sums(hash_number, draw)
    yield from no_keys(hash_number, r, s, key)
    yield from far_keys(draw)


def changed(key, hash_number, r, s):
    """A bit of each byte of key, hash and signature."""
    whole = key + number(hash_number) + number(r) + number(s)
    for place in range(len(whole)):
        case = Case("byte %d changed" % place, key, hash_number, r, s, False)
        case.record = whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1:]
        yield case


def edges(key, hash_number):
    """r and s at the ends of what is allowed, and past them."""
    values = (0, 1, ORDER - 1, ORDER, ORDER + 1, PRIME, LARGEST)
    for r, s in itertools.product(values, values):
        yield Case("r %x, s %x" % (r, s), key, hash_number, r, s, False)


def sums(hash_number, draw):
    """u·G + v·Q where u or the sum is special, for hashes and nonces that are."""
    private = draw.randrange(1, ORDER)
    nonces = (1, 2, ORDER - 1, draw.randrange(1, ORDER))
    # u is 0 for the first two of these hashes.
    for special, nonce in itertools.product((0, ORDER, 1, ORDER - 1, ORDER + 1, LARGEST), nonces):
        r, s = sign(private, special, nonce)
        yield Case("hash %x, nonce %x" % (special, nonce), key_for(private), special, r, s, True)
    # Q is G, 2·G, -G: the sum's last additions meet the same point or its opposite.
    for small, nonce in itertools.product((1, 2, ORDER - 1), nonces):
        r, s = sign(small, hash_number, nonce)
        if s:
            yield Case("key %x, nonce %x" % (small, nonce), key_for(small), hash_number, r, s, True)
    r, s = draw.randrange(1, ORDER), draw.randrange(1, ORDER)
    yield Case("sum at infinity", key_for(-hash_number * pow(r, -1, ORDER)), hash_number, r, s, False)
    yield Case("infinity, u 0", key_for(private), 0, ORDER, s, False)


    # In two of them r and the x of the sum differ by what a careless check leaves out.
    base_x, base_y, _ = ecdsa_signing.BASE
    for name, (x, y), r, is_right in (
            ("x", (base_x, base_y), base_x, True),
            ("x + 2^256 - n", (base_x, base_y), base_x + LARGEST + 1 - ORDER, False),
            ("p - n, and x 0", SMALL_POINTS[0], PRIME - ORDER, False)):
        far = ecdsa_signing.add(ecdsa_signing.multiply(s, (x, y, 1)),
                                ecdsa_signing.multiply(-hash_number % ORDER, ecdsa_signing.BASE))
        far = ecdsa_signing.multiply(pow(r, -1, ORDER), far)
        yield Case("r is " + name, ecdsa_signing.encode(far), hash_number, r, s, is_right)


def far_keys(draw):
    """Points with a coordinate so small that it fits 32 bytes with p added, too, and such keys are none."""
    for x, y in SMALL_POINTS:
        u, v = draw.randrange(1, ORDER), draw.randrange(1, ORDER)
        point = ecdsa_signing.add(ecdsa_signing.multiply(u, ecdsa_signing.BASE), ecdsa_signing.multiply(v, (x, y, 1)))
        r = ecdsa_signing.affine(point)[0] % ORDER
        s = r * pow(v, -1, ORDER) % ORDER
        for more_x, more_y in ((0, 0), (PRIME, 0), (0, PRIME)):
            if max(x + more_x, y + more_y) <= LARGEST:
                key = b"\4" + number(x + more_x) + number(y + more_y)
                name = "key %x %x" % (x + more_x, y + more_y)
                yield Case(name, key, u * s % ORDER, r, s, more_x + more_y == 0)


def no_keys(hash_number, r, s, key):
    x, y = key[1:33], key[33:]
    wrong = [("zeros", bytes(65)), ("4 and zeros", b"\4" + bytes(64)), ("x and 0", b"\4" + x + bytes(32)),
             ("x above", b"\4" + number(PRIME) + y), ("y above", b"\4" + x + number(PRIME)),
             ("largest", b"\4" + b"\xff" * 64), ("exchanged", b"\4" + y + x),
             ("compressed", b"\2" + x + bytes(32)), ("hybrid", bytes([6 + y[31] % 2]) + x + y),
             ("x and p - y", None)]
    for name, data in wrong:
        if data is None:
            data = b"\4" + x + number(PRIME - int.from_bytes(y, "big"))
        yield Case("key " + name, data, hash_number, r, s, False)
    # u is 0 and v is 1, so that the sum is the key, on the curve or not.
    yield Case("key beside the curve", b"\4" + number(r) + number(7), 0, r, r, False)


def wrongly_said():
    """The names of cases that the reading side of spec/vectors judges otherwise."""
    return [case.name for case in cases() if case.is_right != verifying.P256.is_signature_of_hash(
        case.record[97:], case.record[:65], case.record[65:97])]
