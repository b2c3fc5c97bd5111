"""Answers that others published, against which both sides of sections 4.3 and 4.6 are held."""

from . import ecdsa_signing, opening, packing, sealing, unpacking, verifying

# RFC 6979, A.2.5, with SHA-256: private key, X and Y of the public one; message, r and s.
P256_PRIVATE = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
P256_PUBLIC = ("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
               "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299")
P256 = [
    (b"sample", "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"),
    (b"test", "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
              "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"),
]

# RFC 7748, section 5.2: scalar, u, result; the last one is the first of the repeated ones.
X25519 = [
    ("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
     "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
     "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
    ("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
     "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
     "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"),
    ("0900000000000000000000000000000000000000000000000000000000000000",
     "0900000000000000000000000000000000000000000000000000000000000000",
     "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"),
]
# RFC 5869, A.1 and A.3: secret, salt, info, key.
HKDF = [
    ("0b" * 22, "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
     "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
    ("0b" * 22, "", "",
     "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
]
# RFC 8439, 2.8.2.
AEAD = {
    "key": "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
    "nonce": "070000004041424344454647",
    "further": "50515253c0c1c2c3c4c5c6c7",
    "plaintext": (b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
                  b"sunscreen would be it.").hex(),
    "sealed": ("d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
               "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
               "3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691"),
}
# Of no bytes and of three, as the reference implementation of XXH64 has them.
XXH64 = [(b"", 0xEF46DB3751D8E999), (b"abc", 0x44BC2CF5AD770999)]


def problems():
    """What either side computes otherwise, as texts."""
    found = []

    def compare(what, side, value, expected):
        if value != expected:
            found.append("%s: %s is %s, and not %s" % (side, what, value, expected))

    private, public = bytes.fromhex(P256_PRIVATE), b"\4" + bytes.fromhex(P256_PUBLIC)
    compare("P-256's public key", "ecdsa_signing", ecdsa_signing.public_key(private), public)
    for message, text in P256:
        compare("P-256", "ecdsa_signing", ecdsa_signing.sign(private, message), bytes.fromhex(text))
        compare("P-256", "verifying", verifying.P256.is_signature(bytes.fromhex(text), public, message), True)
        compare("P-256 of another message", "verifying",
                verifying.P256.is_signature(bytes.fromhex(text), public, message + b"!"), False)
    for texts in X25519:
        scalar, point, result = (bytes.fromhex(text) for text in texts)
        compare("X25519", "sealing", sealing.x25519(scalar, point), result)
        compare("X25519", "opening", opening.shared_secret(scalar, point), result)
    for texts in HKDF:
        secret, salt, info, key = (bytes.fromhex(text) for text in texts)
        compare("HKDF", "sealing", sealing.hkdf(secret, salt, info, len(key)), key)
        compare("HKDF", "opening", opening.derived_key(secret, salt, info, len(key)), key)
    one = {name: bytes.fromhex(text) for name, text in AEAD.items()}
    compare("ChaCha20-Poly1305", "sealing",
            sealing.encrypt(one["key"], one["nonce"], one["plaintext"], one["further"]), one["sealed"])
    compare("ChaCha20-Poly1305", "opening",
            opening.decrypt(one["key"], one["nonce"], one["sealed"], one["further"]), one["plaintext"])
    compare("ChaCha20-Poly1305 of a changed tag", "opening",
            opening.decrypt(one["key"], one["nonce"], one["sealed"][:-1] + b"\0", one["further"]), None)
    for data, value in XXH64:
        compare("XXH64", "packing", packing.xxh64(data), value)
        compare("XXH64", "unpacking", unpacking.hash_64(data), value)
    return found
