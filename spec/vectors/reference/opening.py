"""The reading side of sections 4.5 and 4.6: from object 1 to the image, or to the reason for which there is none.

It shares no code with sealing.py: the ladder runs on plain numbers u with the laws of addition, HMAC is written out,
ChaCha20 mixes all blocks of a message at once, Poly1305 takes the message from its end.
"""

import hashlib

from . import unpacking
from .reader import Refused, number

PRIME = (1 << 255) - 19
MODULUS = (1 << 130) - 5
INFO = "bleota seal key1".encode()


def inverse(value):
    return pow(value, -1, PRIME)


def twice(u):
    """u of 2P on v² = u³ + 486662u² + u; None is the point at infinity."""
    if u is None:
        return None
    below = 4 * u * (u * u + 486662 * u + 1) % PRIME
    return (u * u - 1) ** 2 * inverse(below) % PRIME if below else None


def sum_of(first, second, difference):
    """u of P + Q, where that of P - Q is known."""
    if first is None or second is None:
        return second if first is None else first
    below = difference * (first - second) ** 2 % PRIME
    return (first * second - 1) ** 2 * inverse(below) % PRIME if below else None


def shared_secret(private_key, public_key):
    """X25519 (RFC 7748): a pair of neighbouring multiples, from the highest bit down."""
    private = bytearray(private_key)
    private[0] &= 248
    private[31] = private[31] & 127 | 64
    u = int.from_bytes(public_key, "little") % (1 << 255) % PRIME
    lower, upper = None, u
    for digit in bin(int.from_bytes(private, "little"))[2:]:
        between = sum_of(lower, upper, u)
        lower, upper = (between, twice(upper)) if digit == "1" else (twice(lower), between)
    return (lower or 0).to_bytes(32, "little")


def hmac_sha256(key, message):
    key = (key if len(key) <= 64 else hashlib.sha256(key).digest()).ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def derived_key(secret, salt, info, byte_count):
    """HKDF-SHA256 (RFC 5869)."""
    key, last, made = hmac_sha256(salt, secret), b"", []
    for place in range(1, -(-byte_count // 32) + 1):
        last = hmac_sha256(key, last + info + bytes([place]))
        made.append(last)
    return b"".join(made)[:byte_count]


def key_stream(key, nonce, block_count):
    """ChaCha20 (RFC 8439), blocks 0 to block_count - 1.

    A word of the state is one number that holds it for every block, 64 bits apart, so sums and shifts stay apart too.
    """
    ones = sum(1 << 64 * block for block in range(block_count))
    mask = ones * 0xFFFFFFFF
    constants = [number(b"expand 32-byte k" + key, at, 4) * ones for at in range(0, 48, 4)]
    counters = sum(block << 64 * block for block in range(block_count))
    start = constants + [counters] + [number(nonce, at, 4) * ones for at in (0, 4, 8)]
    rows = [start[0:4], start[4:8], start[8:12], start[12:16]]

    def turned(value, bits):
        return (value << bits | value >> 32 - bits) & mask

    for half in range(20):
        # In every other round the rows are shifted, which makes columns of the diagonals, and then shifted back.
        for row in range(4):
            shift = row if half % 2 else 0
            rows[row] = rows[row][shift:] + rows[row][:shift]
        for target, source, mixed, bits in ((0, 1, 3, 16), (2, 3, 1, 12), (0, 1, 3, 8), (2, 3, 1, 7)):
            rows[target] = [(one + other) & mask for one, other in zip(rows[target], rows[source])]
            rows[mixed] = [turned(one ^ other, bits) for one, other in zip(rows[mixed], rows[target])]
        for row in range(4):
            shift = 4 - row if half % 2 else 0
            rows[row] = rows[row][shift:] + rows[row][:shift]
    words = [((one + other) & mask).to_bytes(8 * block_count, "little") for one, other in zip(sum(rows, []), start)]
    return b"".join(word[8 * block:8 * block + 4] for block in range(block_count) for word in words)


def authenticator(key, message):
    """Poly1305 (RFC 8439): the chunks times rising powers, from the last one on."""
    factor = number(key, 0, 16) & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    power, total = factor, 0
    for at in range((len(message) - 1) // 16 * 16, -1, -16):
        chunk = message[at:at + 16]
        total += (number(chunk, 0, len(chunk)) + 256 ** len(chunk)) * power
        power = power * factor % MODULUS
    return ((total % MODULUS + number(key, 16, 16)) % (1 << 128)).to_bytes(16, "little")


def decrypt(key, nonce, sealed, further=b""):
    """ChaCha20-Poly1305 (RFC 8439); None where the tag is wrong."""
    ciphertext, tag = sealed[:-16], sealed[-16:]
    stream = key_stream(key, nonce, 1 + -(-len(ciphertext) // 64))
    message = b""
    for part in (further, ciphertext):
        message += part.ljust(-(-len(part) // 16) * 16, b"\0")
    message += b"".join(len(part).to_bytes(8, "little") for part in (further, ciphertext))
    if len(tag) != 16 or authenticator(stream[:32], message) != tag:
        return None
    count = len(ciphertext)
    return (number(ciphertext, 0, count) ^ number(stream, 64, count)).to_bytes(count, "little")


def content_key(seal, private_key):
    """Section 4.6: the key for the pieces, for the owner of the private key.

    A secret of zeros is that of an E of low order, the same for everyone.
    """
    ephemeral, own = seal[:32], shared_secret(private_key, (9).to_bytes(32, "little"))
    entries = {seal[at:at + 8]: seal[at + 8:at + 56] for at in range(32, len(seal), 56)}
    sealed = entries.get(hashlib.sha256(own).digest()[:8])
    if sealed is None:
        raise Refused("recipient")
    secret = shared_secret(private_key, ephemeral)
    if not any(secret):
        raise Refused("key")
    key = derived_key(secret, ephemeral + own, INFO, 32)
    opened = decrypt(key, bytes(12), sealed)
    if opened is None:
        raise Refused("key")
    return opened


def opened_pieces(data, k, key):
    """Section 4.6: every block of object 1 is a piece, and the last one knows that it is."""
    size = 2 ** k
    starts = range(0, len(data), size)
    pieces = []
    for index, start in enumerate(starts):
        is_last = index == len(starts) - 1
        opened = decrypt(key, index.to_bytes(8, "little") + bytes([is_last, 0, 0, 0]), data[start:start + size])
        if not opened:
            raise Refused("tag")
        pieces.append(opened)
    return b"".join(pieces)


def read_image(data, k, encoding, byte_count, sha256, base, seal, private_key):
    """Section 4.5, from object 1 to the image; `encoding` is the first byte of the attribute."""
    if encoding >= 128:
        data = opened_pieces(data, k, content_key(seal, private_key))
    compression = encoding % 128
    if compression == 1:
        data = unpacking.inflated(data, byte_count)
    elif compression == 2:
        data = unpacking.patched(data, byte_count, base)
    elif compression:
        raise Refused("compression")
    if len(data) != byte_count:
        raise Refused("length")
    if hashlib.sha256(data).hexdigest() != sha256:
        raise Refused("hash")
    return data
