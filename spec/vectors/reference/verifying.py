"""The reading side of section 4.3: Ed25519 verified with plain points (x, y), by the equation of the curve
-x² + y² = 1 + d·x²·y² alone. It shares no code with signing.py."""

import hashlib

PRIME = (1 << 255) - 19
GROUP = (1 << 252) + 0x14DEF9DEA2F79CD65812631A5CF5D3ED


def inverse(value):
    return pow(value, -1, PRIME)


CURVE_D = -121665 * inverse(121666) % PRIME


def plus(first, second):
    (x1, y1), (x2, y2) = first, second
    product = CURVE_D * x1 * x2 * y1 * y2 % PRIME
    return ((x1 * y2 + x2 * y1) * inverse(1 + product) % PRIME,
            (y1 * y2 + x1 * x2) * inverse(1 - product) % PRIME)


def times(factor, point):
    """From the highest bit down."""
    result = (0, 1)
    for bit in bin(factor)[2:]:
        result = plus(result, result)
        if bit == "1":
            result = plus(result, point)
    return result


def point(data):
    """RFC 8032, 5.1.3; None where the bytes are no point."""
    encoded = int.from_bytes(data, "little")
    sign, y = encoded >> 255, encoded & ((1 << 255) - 1)
    if y >= PRIME:
        return None
    square = (y * y - 1) * inverse(CURVE_D * y * y + 1) % PRIME
    root = pow(square, (PRIME + 3) >> 3, PRIME)
    for x in (root, root * pow(2, (PRIME - 1) >> 2, PRIME) % PRIME):
        if x * x % PRIME == square:
            if x == 0 and sign:
                return None
            return (x if x & 1 == sign else PRIME - x, y)
    return None


GENERATOR = point((4 * inverse(5) % PRIME).to_bytes(32, "little"))


def is_signature(signature, key, message):
    """RFC 8032, 5.1.7, without the cofactor."""
    if len(signature) != 64:
        return False
    response = int.from_bytes(signature[32:], "little")
    nonce, owner = point(signature[:32]), point(key)
    if nonce is None or owner is None or response >= GROUP:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % GROUP
    return times(response, GENERATOR) == plus(nonce, times(challenge, owner))
