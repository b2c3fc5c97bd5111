#!/usr/bin/env python3
"""Verifies a bundle (../bundle.md) from the text of the specification alone.

    verify_bundle.py BUNDLE PUBLIC-KEY-PEM

Ends with 0 if the manifest keeps every rule, the image has the hashes in it, and the key's owner signed it;
else with 1 and a line that says why not.
"""

import base64
import hashlib
import sys

from reference import reader

# RFC 8410, section 10.1: what stands before the 32 bytes of a public key of Ed25519.
PREFIX = bytes.fromhex("302a300506032b6570032100")


def public_key(path):
    with open(path, encoding="ascii") as file:
        lines = file.read().split("\n")
    start, end = lines.index("-----BEGIN PUBLIC KEY-----"), lines.index("-----END PUBLIC KEY-----")
    der = base64.b64decode("".join(lines[start + 1:end]), validate=True)
    if der[:12] != PREFIX or len(der) != 44:
        raise reader.Refused("not a public key of Ed25519")
    return der[12:]


def verify(data, key):
    if data[:4] != b"BLB1" or data[4:8] != bytes(4) or len(data) < 12:
        raise reader.Refused("not a bundle")
    end = 12 + reader.number(data, 8, 4)
    if len(data) < end:
        raise reader.Refused("it ends within its manifest")
    manifest, image = data[12:end], data[end:]
    fields = reader.read_manifest(manifest)
    if len(image) != fields["imageByteCount"]:
        raise reader.Refused("its image has another length")
    if hashlib.sha256(image).hexdigest() != fields["imageSHA256"]:
        raise reader.Refused("its image has another SHA-256")
    size = 2 ** fields["k"]
    blocks = [image[at:at + size] for at in range(0, len(image), size)]
    if [hashlib.sha256(block).hexdigest()[:32] for block in blocks] != fields["blockHashes"]:
        raise reader.Refused("a block has another hash")
    if not reader.is_signed(manifest, fields, key):
        raise reader.Refused("the key's owner did not sign it")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], "rb") as file:
            data = file.read()
        verify(data, public_key(sys.argv[2]))
    except (OSError, ValueError, reader.Refused) as error:
        print(error)
        return 1
    print("verified")
    return 0


if __name__ == "__main__":
    sys.exit(main())
