"""The writing side of section 4.3: Ed25519 as RFC 8032, section 5.1, states it, in extended coordinates."""

import hashlib

P = 2 ** 255 - 19
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def base_point():
    """y is 4/5, and x the even one of the two roots."""
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x % 2:
        x = P - x
    return x, y, 1, x * y % P


def add(one, other):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def compress(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def expand(seed):
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    scalar = scalar & ~7 & ((1 << 254) - 1) | 1 << 254
    return scalar, digest[32:]


def public_key(seed):
    return compress(multiply(expand(seed)[0], base_point()))


def sign(seed, message):
    scalar, prefix = expand(seed)
    key = compress(multiply(scalar, base_point()))
    nonce = number(prefix, message) % ORDER
    point = compress(multiply(nonce, base_point()))
    response = (nonce + number(point, key, message) * scalar) % ORDER
    return point + response.to_bytes(32, "little")
