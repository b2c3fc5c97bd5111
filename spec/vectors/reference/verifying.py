"""The reading side of section 4.3: Ed25519 and ECDSA over P-256 verified with plain points (x, y), by the equations of
both curves alone. It shares no code with signing.py and ecdsa_signing.py."""

import hashlib


class Curve:
    @classmethod
    def times(cls, factor, point):
        """From the highest bit down."""
        result = cls.NEUTRAL
        for bit in bin(factor)[2:]:
            result = cls.plus(result, result)
            if bit == "1":
                result = cls.plus(result, point)
        return result

    @classmethod
    def inverse(cls, value):
        return pow(value, -1, cls.PRIME)


class Ed25519(Curve):
    """-x² + y² = 1 + d·x²·y²."""

    PRIME = (1 << 255) - 19
    GROUP = (1 << 252) + 0x14DEF9DEA2F79CD65812631A5CF5D3ED
    D = -121665 * pow(121666, -1, PRIME) % PRIME
    NEUTRAL = (0, 1)

    @classmethod
    def plus(cls, first, second):
        (x1, y1), (x2, y2) = first, second
        product = cls.D * x1 * x2 * y1 * y2 % cls.PRIME
        return ((x1 * y2 + x2 * y1) * cls.inverse(1 + product) % cls.PRIME,
                (y1 * y2 + x1 * x2) * cls.inverse(1 - product) % cls.PRIME)

    @classmethod
    def point(cls, data):
        """RFC 8032, 5.1.3; None where the bytes are no point."""
        encoded = int.from_bytes(data, "little")
        sign, y = encoded >> 255, encoded & ((1 << 255) - 1)
        if y >= cls.PRIME:
            return None
        square = (y * y - 1) * cls.inverse(cls.D * y * y + 1) % cls.PRIME
        root = pow(square, (cls.PRIME + 3) >> 3, cls.PRIME)
        for x in (root, root * pow(2, (cls.PRIME - 1) >> 2, cls.PRIME) % cls.PRIME):
            if x * x % cls.PRIME == square:
                if x == 0 and sign:
                    return None
                return (x if x & 1 == sign else cls.PRIME - x, y)
        return None

    @classmethod
    def is_signature(cls, signature, key, message):
        """RFC 8032, 5.1.7, without the cofactor."""
        if len(signature) != 64:
            return False
        response = int.from_bytes(signature[32:], "little")
        nonce, owner = cls.point(signature[:32]), cls.point(key)
        if nonce is None or owner is None or response >= cls.GROUP:
            return False
        digest = hashlib.sha512(signature[:32] + key + message).digest()
        challenge = int.from_bytes(digest, "little") % cls.GROUP
        generator = cls.point((4 * cls.inverse(5) % cls.PRIME).to_bytes(32, "little"))
        return cls.times(response, generator) == cls.plus(nonce, cls.times(challenge, owner))


class P256(Curve):
    """y² = x³ - 3x + b; None is the point at infinity."""

    PRIME = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
    GROUP = (1 << 256) - (1 << 224) + (1 << 192) - 0x4319055258E8617B0C46353D039CDAAF
    B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
    GENERATOR = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
                 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
    NEUTRAL = None

    @classmethod
    def plus(cls, first, second):
        if first is None or second is None:
            return first or second
        (x1, y1), (x2, y2) = first, second
        if x1 == x2 and (y1 + y2) % cls.PRIME == 0:
            return None
        if first == second:
            slope = (3 * x1 * x1 - 3) * cls.inverse(2 * y1)
        else:
            slope = (y2 - y1) * cls.inverse(x2 - x1)
        x = (slope * slope - x1 - x2) % cls.PRIME
        return x, (slope * (x1 - x) - y1) % cls.PRIME

    @classmethod
    def point(cls, data):
        """None where the bytes are no point, or another form of one."""
        if len(data) != 65 or data[0] != 4:
            return None
        x, y = int.from_bytes(data[1:33], "big"), int.from_bytes(data[33:], "big")
        if x >= cls.PRIME or y >= cls.PRIME or (y * y - x * x * x + 3 * x - cls.B) % cls.PRIME:
            return None
        return x, y

    @classmethod
    def is_signature(cls, signature, key, message):
        return cls.is_signature_of_hash(signature, key, hashlib.sha256(message).digest())

    @classmethod
    def is_signature_of_hash(cls, signature, key, digest):
        """SEC 1, 4.1.4."""
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        owner = cls.point(key)
        if len(signature) != 64 or owner is None or not 0 < r < cls.GROUP or not 0 < s < cls.GROUP:
            return False
        inverse = pow(s, -1, cls.GROUP)
        first = cls.times(int.from_bytes(digest, "big") * inverse % cls.GROUP, cls.GENERATOR)
        found = cls.plus(first, cls.times(r * inverse % cls.GROUP, owner))
        return found is not None and found[0] % cls.GROUP == r
