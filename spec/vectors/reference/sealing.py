"""The writing side of section 4.6: X25519, HKDF-SHA256 and ChaCha20-Poly1305 as RFC 7748, 5869 and 8439 state them.

Written for a reader, not for speed, and not against who can measure time: its keys are for vectors.
"""

import hashlib
import hmac
import struct

P = 2 ** 255 - 19
A24 = 121665
BASE_POINT = (9).to_bytes(32, "little")
INFO = b"bleota seal key1"


def x25519(scalar, point):
    """RFC 7748, section 5: the ladder with projective coordinates."""
    u = int.from_bytes(point, "little") & (1 << 255) - 1
    k = int.from_bytes(scalar, "little") & ~7 & (1 << 254) - 1 | 1 << 254
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for t in range(254, -1, -1):
        bit = k >> t & 1
        if swap != bit:
            x2, z2, x3, z3 = x3, z3, x2, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a % P, b * b % P, d * a % P, c * b % P
        e = aa - bb
        x3, z3 = (da + cb) ** 2 % P, u * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, e * (aa + A24 * e) % P
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def public_key(private_key):
    return x25519(private_key, BASE_POINT)


def hkdf(secret, salt, info, byte_count):
    """RFC 5869: extract, then expand. Without a salt it is as long as a hash, and zero."""
    key = hmac.new(salt or bytes(32), secret, hashlib.sha256).digest()
    block, made = b"", b""
    while len(made) < byte_count:
        block = hmac.new(key, block + info + bytes([len(made) // 32 + 1]), hashlib.sha256).digest()
        made += block
    return made[:byte_count]


def chacha20_block(key, counter, nonce):
    """RFC 8439, section 2.3."""
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<I", counter) + nonce))
    words = start[:]

    def add_xor_rotate(a, b, d, bits):
        words[a] = (words[a] + words[b]) & 0xFFFFFFFF
        mixed = words[d] ^ words[a]
        words[d] = (mixed << bits | mixed >> 32 - bits) & 0xFFFFFFFF

    def quarter_round(a, b, c, d):
        add_xor_rotate(a, b, d, 16)
        add_xor_rotate(c, d, b, 12)
        add_xor_rotate(a, b, d, 8)
        add_xor_rotate(c, d, b, 7)

    for _ in range(10):
        for column in range(4):
            quarter_round(column, column + 4, column + 8, column + 12)
        for column in range(4):
            quarter_round(column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
    return struct.pack("<16I", *((word + first) & 0xFFFFFFFF for word, first in zip(words, start)))


def chacha20(key, counter, nonce, data):
    """RFC 8439, section 2.4."""
    made = bytearray()
    for at in range(0, len(data), 64):
        stream = chacha20_block(key, counter + at // 64, nonce)
        made += bytes(one ^ other for one, other in zip(data[at:at + 64], stream))
    return bytes(made)


def poly1305(key, message):
    """RFC 8439, section 2.5."""
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    s = int.from_bytes(key[16:], "little")
    accumulator = 0
    for at in range(0, len(message), 16):
        number = int.from_bytes(message[at:at + 16] + b"\1", "little")
        accumulator = (accumulator + number) * r % (2 ** 130 - 5)
    return (accumulator + s & (1 << 128) - 1).to_bytes(16, "little")


def encrypt(key, nonce, plaintext, further=b""):
    """RFC 8439, section 2.8: the ciphertext and then the tag; `further` is additional data."""
    ciphertext = chacha20(key, 1, nonce, plaintext)
    covered = (further + bytes(-len(further) % 16) + ciphertext + bytes(-len(ciphertext) % 16)
               + struct.pack("<QQ", len(further), len(ciphertext)))
    return ciphertext + poly1305(chacha20_block(key, 0, nonce)[:32], covered)


def key_id(public):
    return hashlib.sha256(public).digest()[:8]


def recipient(ephemeral, public, content_key):
    """Section 4.6: the 56 bytes for one recipient; `ephemeral` is the private half of E."""
    salt = public_key(ephemeral) + public
    key = hkdf(x25519(ephemeral, public), salt, INFO, 32)
    return key_id(public) + encrypt(key, bytes(12), content_key)


def seal(ephemeral, publics, content_key):
    """Section 4.6: the attribute, its recipients in ascending order of key id ([MAN-11])."""
    entries = [recipient(ephemeral, public, content_key) for public in publics]
    entries.sort(key=lambda entry: int.from_bytes(entry[:8], "little"))
    return public_key(ephemeral) + b"".join(entries)


def piece(content_key, index, is_last, plaintext):
    """Section 4.6: one block of object 1."""
    return encrypt(content_key, struct.pack("<QI", index, 1 if is_last else 0), plaintext)


def pieces(content_key, k, data):
    """Section 4.6: the blocks of object 1."""
    size = (1 << k) - 16
    parts = [data[at:at + size] for at in range(0, len(data), size)]
    return [piece(content_key, index, index == len(parts) - 1, part) for index, part in enumerate(parts)]
