#!/usr/bin/env python3
"""Verifies a bundle (../bundle.md) from the text of the specification alone.

    verify_bundle.py BUNDLE PUBLIC-KEY-PEM [X25519-PRIVATE-KEY-PEM]

Ends with 0 if the bundle keeps its rules, every manifest does, every form has the length and the hashes in its
manifest, the key's owner signed each of them, all say the same of the image, and every sketch is
one of it [ENC-5]; else with 1 and a line that says why not.

What a form becomes is looked at where that can be done: a plain form and one in zlib must become the image. A sealed
one is opened with the private key, which then must be of a recipient, and is only hashed without one. A patch is not
decoded, since its base is not here, and neither is a compression without a name.
"""

import base64
import hashlib
import sys

from reference import opening, reader

# What stands before the bytes of a key, and how many these are: RFC 8410, sections 10.1 and 10.3, and RFC 5480.
PUBLIC_ED25519 = bytes.fromhex("302a300506032b6570032100"), 32
PUBLIC_P256 = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200"), 65
PRIVATE_X25519 = bytes.fromhex("302e020100300506032b656e04220420"), 32
# Encoding, base, seal and sketch are of a form and not of the image [BUNDLE-3].
OF_THE_FORM = (0x85, 0x86, 0x87, 0x04)


def read_key(path, label, kinds, what):
    with open(path, encoding="ascii") as file:
        lines = [line.rstrip("\r") for line in file.read().split("\n")]
    start, end = lines.index("-----BEGIN %s-----" % label), lines.index("-----END %s-----" % label)
    der = base64.b64decode("".join(lines[start + 1:end]), validate=True)
    for prefix, byte_count in kinds:
        if der[:len(prefix)] == prefix and len(der) == len(prefix) + byte_count:
            return der[len(prefix):]
    raise reader.Refused("not a %s" % what)


def forms(data):
    """The (manifest, object 1) of each form."""
    if data[:4] != b"BLB1" or len(data) < 8 or data[6:8] != bytes(2):
        raise reader.Refused("not a bundle")
    count, at, found = reader.number(data, 4, 2), 8, []
    if not 1 <= count <= 8:
        raise reader.Refused("it has %d forms" % count)
    for place in range(1, count + 1):
        start = at + 4
        end = start + reader.number(data, at, 4)
        if len(data) < max(start, end):
            raise reader.Refused("it ends within a manifest")
        manifest = data[start:end]
        try:
            at = end + reader.read_manifest(manifest)["imageByteCount"]
        except reader.Refused as error:
            raise reader.Refused("form %d: its manifest breaks a rule: %s" % (place, error)) from None
        found.append((manifest, data[end:at]))
    if len(data) != at:
        raise reader.Refused("it does not end with its last form")
    return found


def check_form(manifest, encoded, key, private_key):
    """Gives what all forms have in common [BUNDLE-3]: the image, and what is said of it."""
    fields = reader.read_manifest(manifest)
    if len(encoded) != fields["imageByteCount"]:
        raise reader.Refused("its image has another length")
    if hashlib.sha256(encoded).hexdigest() != fields["imageSHA256"]:
        raise reader.Refused("its image has another SHA-256")
    size = 2 ** fields["k"]
    blocks = [encoded[at:at + size] for at in range(0, len(encoded), size)]
    if [hashlib.sha256(block).hexdigest()[:32] for block in blocks] != fields["blockHashes"]:
        raise reader.Refused("a block has another hash")
    if not reader.is_signed(manifest, fields, key):
        raise reader.Refused("the key's owner did not sign it")
    form = reader.form_of(fields)
    if form["encoding"] < 128 or private_key is not None:
        try:
            check_image(fields, form, encoded, private_key)
        except reader.Refused as error:
            raise reader.Refused("it does not become its image: %s" % error) from None
    said = [(one["type"], one["value"]) for one in fields["attributes"]
            if one["type"] not in OF_THE_FORM]
    return form["byteCount"], form["sha256"], tuple(said)


def check_image(fields, form, encoded, private_key):
    if form["encoding"] % 128 < 2:
        opening.read_image(encoded, fields["k"], form["encoding"], form["byteCount"], form["sha256"], None,
                           form["seal"], private_key)
    elif form["encoding"] >= 128:
        opening.opened_pieces(encoded, fields["k"], opening.content_key(form["seal"], private_key))


def check_sketch(fields, following):
    """[ENC-5]; `following` is the manifest and object 1 of the form after it, or None.

    All forms are known to be of one image.
    """
    sketches = [bytes.fromhex(one["value"]) for one in fields["attributes"] if one["type"] == 0x04]
    if not sketches:
        return
    form = reader.form_of(fields)
    if form["encoding"] == 0:
        raise reader.Refused("it has a sketch, and no encoding [ENC-5]")
    if form["encoding"] >= 128:
        raise reader.Refused("it has a sketch, and is sealed [ENC-5]")
    if following is None or reader.form_of(following[0])["encoding"]:
        raise reader.Refused("it has a sketch, and the form after it is not the image as it is "
                             "[ENC-5]")
    plain, image = following
    if plain["k"] != fields["k"]:
        raise reader.Refused("it has a sketch, and the form after it has blocks of another size "
                             "[ENC-5]")
    entries = [sketches[0][at:at + 4] for at in range(0, len(sketches[0]), 4)]
    size = 2 ** fields["k"]
    block_count = len(range(0, len(image), size))
    if len(entries) > block_count:
        raise reader.Refused("its sketch has %d entries, and the image %d blocks [ENC-5]"
                             % (len(entries), block_count))
    blocks = reader.sketched_blocks(len(entries), block_count)
    for place, (entry, block) in enumerate(zip(entries, blocks)):
        if hashlib.sha256(image[block * size:(block + 1) * size]).digest()[:4] != entry:
            raise reader.Refused("entry %d of its sketch is not of block %d of the image [ENC-5]"
                                 % (place, block))


def verify(data, key, private_key=None):
    images, found = [], forms(data)
    for number, (manifest, encoded) in enumerate(found, 1):
        try:
            images.append(check_form(manifest, encoded, key, private_key))
        except reader.Refused as error:
            raise reader.Refused("form %d: %s" % (number, error)) from None
    if len(set(images)) != 1:
        raise reader.Refused("its forms are not of one image, or say different things of it")
    read = [(reader.read_manifest(manifest), encoded) for manifest, encoded in found]
    for number, ((fields, _), following) in enumerate(zip(read, read[1:] + [None]), 1):
        try:
            check_sketch(fields, following)
        except reader.Refused as error:
            raise reader.Refused("form %d: %s" % (number, error)) from None


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], "rb") as file:
            data = file.read()
        key = read_key(sys.argv[2], "PUBLIC KEY", (PUBLIC_ED25519, PUBLIC_P256),
                       "public key of Ed25519 or P-256")
        private_key = None
        if len(sys.argv) == 4:
            private_key = read_key(sys.argv[3], "PRIVATE KEY", (PRIVATE_X25519,), "private key of X25519")
        verify(data, key, private_key)
    except (OSError, ValueError, reader.Refused) as error:
        print(error)
        return 1
    print("verified")
    return 0


if __name__ == "__main__":
    sys.exit(main())
