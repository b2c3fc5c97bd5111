"""The writing side of section 4.3: ECDSA over P-256 with SHA-256, as SEC 1 (section 4.1.3) states it, with the nonce of
RFC 6979, in Jacobian coordinates. A key is the number from 1 to ORDER - 1 that 32 bytes are, big-endian."""

import hashlib
import hmac

P = 2 ** 256 - 2 ** 224 + 2 ** 192 + 2 ** 96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
        0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5, 1)
INFINITY = (1, 1, 0)


def double(point):
    x, y, z = point
    square = y * y % P
    s = 4 * x * square % P
    m = 3 * (x - z * z) * (x + z * z) % P
    new_x = (m * m - 2 * s) % P
    return new_x, (m * (s - new_x) - 8 * square * square) % P, 2 * y * z % P


def add(one, other):
    (x1, y1, z1), (x2, y2, z2) = one, other
    if not z1:
        return other
    if not z2:
        return one
    u1, u2 = x1 * z2 * z2 % P, x2 * z1 * z1 % P
    s1, s2 = y1 * z2 ** 3 % P, y2 * z1 ** 3 % P
    if u1 == u2:
        return double(one) if s1 == s2 else INFINITY
    h, r = u2 - u1, s2 - s1
    cube, v = h ** 3 % P, u1 * h * h % P
    x = (r * r - cube - 2 * v) % P
    return x, (r * (v - x) - s1 * cube) % P, z1 * z2 * h % P


def multiply(scalar, point):
    result = INFINITY
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = double(point)
        scalar >>= 1
    return result


def affine(point):
    x, y, z = point
    inverse = pow(z, P - 2, P)
    return x * inverse ** 2 % P, y * inverse ** 3 % P


def encode(point):
    x, y = affine(point)
    return b"\4" + number(x) + number(y)


def number(value):
    return value.to_bytes(32, "big")


def public_key(private_key):
    return encode(multiply(int.from_bytes(private_key, "big"), BASE))


def digest(message):
    return int.from_bytes(hashlib.sha256(message).digest(), "big")


def nonces(private_key, message):
    """RFC 6979, section 3.2."""
    key, value = bytes(32), b"\1" * 32
    for step in (b"\0", b"\1"):
        key = mac(key, value + step + private_key + number(digest(message) % ORDER))
        value = mac(key, value)
    while True:
        value = mac(key, value)
        if 0 < int.from_bytes(value, "big") < ORDER:
            yield int.from_bytes(value, "big")
        key = mac(key, value + b"\0")
        value = mac(key, value)


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def sign(private_key, message):
    for nonce in nonces(private_key, message):
        r = affine(multiply(nonce, BASE))[0] % ORDER
        s = pow(nonce, -1, ORDER) * (digest(message) + r * int.from_bytes(private_key, "big")) % ORDER
        if r and s:
            return number(r) + number(s)
