"""The reading side of section 4.3: ECDSA over P-256 verified with plain points (x, y), by the equation of the curve
y² = x³ - 3x + b alone; None is the point at infinity. It shares no code with ecdsa_signing.py."""

import hashlib

PRIME = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
GROUP = (1 << 256) - (1 << 224) + (1 << 192) - 0x4319055258E8617B0C46353D039CDAAF
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
GENERATOR = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
             0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def plus(first, second):
    if first is None or second is None:
        return first or second
    (x1, y1), (x2, y2) = first, second
    if x1 == x2 and (y1 + y2) % PRIME == 0:
        return None
    if first == second:
        slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, PRIME)
    else:
        slope = (y2 - y1) * pow(x2 - x1, -1, PRIME)
    x = (slope * slope - x1 - x2) % PRIME
    return x, (slope * (x1 - x) - y1) % PRIME


def times(factor, point):
    """From the highest bit down."""
    result = None
    for bit in bin(factor)[2:]:
        result = plus(result, result)
        if bit == "1":
            result = plus(result, point)
    return result


def point(data):
    """None where the bytes are no point, or another form of one."""
    if len(data) != 65 or data[0] != 4:
        return None
    x, y = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
    if x >= PRIME or y >= PRIME or (y * y - x * x * x + 3 * x - B) % PRIME:
        return None
    return x, y


def is_signature(signature, key, message):
    return is_signature_of_hash(signature, key, hashlib.sha256(message).digest())


def is_signature_of_hash(signature, key, digest):
    """SEC 1, 4.1.4."""
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    owner = point(key)
    if len(signature) != 64 or owner is None or not 0 < r < GROUP or not 0 < s < GROUP:
        return False
    inverse = pow(s, -1, GROUP)
    first = times(int.from_bytes(digest, "big") * inverse % GROUP, GENERATOR)
    found = plus(first, times(r * inverse % GROUP, owner))
    return found is not None and found[0] % GROUP == r
