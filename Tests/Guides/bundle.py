#!/usr/bin/env python3
"""Signs images for the devices of the guides, apart from the tool and from the text of the specification alone:

    bundle.py key KEY                      makes a key of P-256, and prints it as `bleota key show --c` does
    bundle.py sign KEY IMAGE BUNDLE        makes a signed bundle of an image
    bundle.py sign KEY IMAGE BUNDLE --hardware acme/lamp:1-4 --flip-signature

For tests: the key is a number in a file, and the arithmetic below takes as long for one as it wants.
"""

import argparse
import hashlib
import secrets
import struct

# P-256, of FIPS 186-4, D.1.2.3.
P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
A = P - 3
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
ALGORITHM = 2
BLOCK = 12  # blocks of 2^12 bytes
HARDWARE = 0x81


def added(one, other):
    """The sum of two points; None is the one at infinity."""
    if one is None or other is None:
        return one or other
    if one[0] == other[0] and (one[1] + other[1]) % P == 0:
        return None
    if one == other:
        slope = (3 * one[0] * one[0] + A) * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope * slope - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def times(scalar, point):
    total = None
    while scalar:
        if scalar & 1:
            total = added(total, point)
        scalar, point = scalar >> 1, added(point, point)
    return total


def number(value):
    return value.to_bytes(32, "big")


class Key:
    def __init__(self, secret):
        self.secret = secret
        x, y = times(secret, G)
        self.public = b"\4" + number(x) + number(y)
        self.id = hashlib.sha256(self.public).digest()[:8]

    def signature(self, message):
        """r and s, 32 bytes each."""
        digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
        while True:
            nonce = 1 + secrets.randbelow(N - 1)
            r = times(nonce, G)[0] % N
            s = pow(nonce, -1, N) * (digest + r * self.secret) % N
            if r and s:
                return number(r) + number(s)

    def source(self):
        def lines(data):
            rows = [data[at:at + 12] for at in range(0, len(data), 12)]
            return "\n".join("    " + " ".join(f"0x{byte:02x}," for byte in row) for row in rows)

        return (f"#include <stdint.h>\n\nenum {{ bleota_key_algorithm = {ALGORITHM}, bleota_key_count = 1 }};\n\n"
                f"static const uint8_t bleota_key_ids[1][8] = {{{{\n{lines(self.id)}\n}}}};\n\n"
                f"static const uint8_t bleota_keys[1][{len(self.public)}] = {{{{\n{lines(self.public)}\n}}}};\n")


def hardware(text):
    """The attribute for VENDOR/NAME:LOW-HIGH."""
    name, _, revisions = text.partition(":")
    low, _, high = revisions.partition("-")
    value = struct.pack("<HH", int(low), int(high or low)) + name.encode()
    return struct.pack("BB", HARDWARE, len(value)) + value


def manifest(image, attributes):
    """Section 4.2, up to the signatures."""
    blocks = [image[at:at + (1 << BLOCK)] for at in range(0, len(image), 1 << BLOCK)]
    head = b"BLM1" + struct.pack("<BBHIHH", 1, BLOCK, 0, len(image), len(attributes), 0)
    hashes = b"".join(hashlib.sha256(block).digest()[:16] for block in blocks)
    return head + hashlib.sha256(image).digest() + attributes + hashes


def bundle(image, key, attributes, flips_signature=False):
    """The bytes of a bundle with one form, the image as it is (spec/bundle.md)."""
    signed = manifest(image, attributes)
    value = bytearray(key.signature(b"bleota manifest1" + hashlib.sha256(signed).digest()))
    if flips_signature:
        value[40] ^= 1
    signature = struct.pack("<BBH", ALGORITHM, 0, len(value)) + key.id + value
    whole = signed + struct.pack("<H", len(signature)) + signature
    return b"BLB1" + struct.pack("<HHI", 1, 0, len(whole)) + whole + image


def read_key(path):
    with open(path, encoding="ascii") as file:
        return Key(int(file.read(), 16))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["key", "sign"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--hardware", default="acme/lamp:3")
    parser.add_argument("--flip-signature", action="store_true")
    options = parser.parse_args()
    if options.action == "key":
        key = Key(1 + secrets.randbelow(N - 1))
        with open(options.files[0], "w", encoding="ascii") as file:
            file.write(f"{key.secret:x}\n")
        return print(key.source(), end="")
    key, image, output = options.files
    with open(image, "rb") as file:
        data = file.read()
    made = bundle(data, read_key(key), hardware(options.hardware), options.flip_signature)
    with open(output, "wb") as file:
        file.write(made)


if __name__ == "__main__":
    main()
