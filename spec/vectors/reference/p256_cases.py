"""Signatures of P-256 in manifest.json: right ones, wrong ones, and right ones that few signers make."""

from . import ecdsa_signing, signing, wire

ED25519, P256 = 1, 2
ORDER = ecdsa_signing.ORDER
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B  # Of y² = x³ - 3x + b.
number = ecdsa_signing.number


class Owner:
    """Who can sign, or only has a public key."""

    def __init__(self, seed=None, public_key=None):
        self.seed = seed
        self.key = public_key or ecdsa_signing.public_key(seed)
        self.id = wire.sha256(self.key)[:8]

    def signature(self, message):
        return wire.signature(P256, self.id, ecdsa_signing.sign(self.seed, message))


def add(unsigned, another, one, broken):
    """Both manifests are without signatures. `one(identifier, comment, signatures, signed by, not signed by)` adds a
    valid vector and `broken(identifier, comment, signatures, flag)` an invalid one."""
    owners = [Owner(wire.sha256(b"bleota test P-256 key %d" % index)) for index in range(3)]
    owners.sort(key=lambda owner: int.from_bytes(owner.id, "little"))
    keys = [owner.key for owner in owners]
    message = wire.signed_message(unsigned)
    entries = [owner.signature(message) for owner in owners]
    for count in (1, 2, 3):
        one("%d" % count, "Signed with P-256 by %d keys." % count, b"".join(entries[:count]), keys[:count], keys[count:])
    seed = wire.sha256(b"bleota test key 0")
    ed25519 = signing.public_key(seed)
    ed25519_id = wire.sha256(ed25519)[:8]
    ed25519_value = signing.sign(seed, message)
    one("both", "Signed with Ed25519 by one key and with P-256 by another.",
        wire.signature(ED25519, ed25519_id, ed25519_value) + entries[0], [ed25519, keys[0]], keys[1:])
    add_wrong(unsigned, another, one, owners[0], entries[0])
    value = entries[0][12:]
    one("named-ed25519", "The key is of P-256, and the signature says that it is of Ed25519.",
        wire.signature(ED25519, owners[0].id, value), [], keys[:1])
    one("of-ed25519", "The other way round.", wire.signature(P256, ed25519_id, ed25519_value), [], [ed25519])
    add_numbers(message, one, owners[0], value)
    add_rare(message, one)
    add_broken(broken, entries, value, wire.signature(ED25519, ed25519_id, ed25519_value))


def add_wrong(unsigned, another, one, owner, right):
    def changed(offset, bit):
        return right[:offset] + bytes([right[offset] ^ bit]) + right[offset + 1:]

    for name, offset, bit in (("key-id", 4, 1), ("r-first", 12, 0x80), ("r-last", 43, 1), ("s-first", 44, 0x80),
                              ("s-last", 75, 1)):
        one("wrong-" + name, "One bit changed.", changed(offset, bit), [], [owner.key])
    value = right[12:]
    one("of-another", "The signature of another manifest.", owner.signature(wire.signed_message(another)), [],
        [owner.key])
    bare = ecdsa_signing.sign(owner.seed, wire.sha256(unsigned[:-2]))
    one("without-label", "A signature over the hash alone is none.", wire.signature(P256, owner.id, bare), [],
        [owner.key])
    one("exchanged", "s before r.", wire.signature(P256, owner.id, value[32:] + value[:32]), [], [owner.key])
    one("little-endian", "r and s with their least byte first.",
        wire.signature(P256, owner.id, value[31::-1] + value[:31:-1]), [], [owner.key])
    short = wire.sha256(bytes([2 + owner.key[64] % 2]) + owner.key[1:33])[:8]
    one("id-of-compressed", "The key id is made of the compressed point.", wire.signature(P256, short, value), [],
        [owner.key])
    bare = wire.sha256(owner.key[1:])[:8]
    one("id-of-x-and-y", "The key id is made of X and Y without the 4 before them.",
        wire.signature(P256, bare, value), [], [owner.key])


def add_numbers(message, one, owner, value):
    r, s = int.from_bytes(value[:32], "big"), int.from_bytes(value[32:], "big")
    one("other-s", "n - s in place of s: right as well.", wire.signature(P256, owner.id, number(r) + number(ORDER - s)),
        [owner.key])
    largest = 2 ** 256 - 1
    for name, pair in (("r-zero", (0, s)), ("s-zero", (r, 0)), ("zeros", (0, 0)), ("r-n", (ORDER, s)),
                       ("s-n", (r, ORDER)), ("n-and-n", (ORDER, ORDER)), ("r-above-n", (ORDER + 1, s)),
                       ("s-above-n", (r, ORDER + 1)), ("r-largest", (largest, s)), ("s-largest", (r, largest)),
                       ("r-minus", (ORDER - r, s)), ("ones", (1, 1)), ("p-and-s", (ecdsa_signing.P, s))):
        one("number-" + name, "Two numbers that are no signature: %s." % name,
            wire.signature(P256, owner.id, number(pair[0]) + number(pair[1])), [], [owner.key])


def add_rare(message, one):
    """Keys made for the message, so that the sum of the check, u·G + v·Q, is a rare one."""
    digest = ecdsa_signing.digest(message)
    r = int.from_bytes(wire.sha256(b"bleota test r"), "big") % ORDER
    s = int.from_bytes(wire.sha256(b"bleota test s"), "big") % ORDER

    def rare(name, comment, key, r, s, is_right):
        owner = Owner(public_key=key)
        one(name, comment, wire.signature(P256, owner.id, number(r) + number(s)), [key] if is_right else [],
            [] if is_right else [key])

    def key_for(private):
        return ecdsa_signing.public_key(number(private % ORDER))

    rare("sum-infinity", "The sum is the point at infinity, which has no x.", key_for(-digest * pow(r, -1, ORDER)), r, s,
         False)
    double = int.from_bytes(wire.sha256(b"bleota test double"), "big") % ORDER
    x = ecdsa_signing.affine(ecdsa_signing.multiply(double, ecdsa_signing.BASE))[0] % ORDER
    rare("sum-double", "Both points of the sum are the same one.", key_for(digest * pow(x, -1, ORDER)), x,
         2 * digest * pow(double, -1, ORDER) % ORDER, True)

    def key_with_sum(point, r):
        """(s·R - e·G) / r, so that the sum is R."""
        minus = ecdsa_signing.multiply(-digest % ORDER, ecdsa_signing.BASE)
        far = ecdsa_signing.add(ecdsa_signing.multiply(s, point), minus)
        return ecdsa_signing.encode(ecdsa_signing.multiply(pow(r, -1, ORDER), far))

    x, point = point_past_order()
    key = key_with_sum(point, x - ORDER)
    rare("sum-past-n", "The x of the sum is n or more, and r is what is left of it.", key, x - ORDER, s, True)
    rare("sum-past-n-whole", "The same with the whole x as r.", key, x, s, False)
    r = ecdsa_signing.P - ORDER
    rare("sum-zero", "The x of the sum is 0, and r and n are p.", key_with_sum((0, square_root(B), 1), r), r, s, False)
    r = ecdsa_signing.BASE[0] + 2 ** 256 - ORDER
    rare("sum-below-2-256", "r and n are 2^256 more than the x of the sum.",
         key_with_sum(ecdsa_signing.BASE, r), r, s, False)
    one_x = ecdsa_signing.BASE[0]
    rare("key-is-base", "The public key is the base point, and so is R: v·Q comes of the same powers.",
         key_for(1), one_x, (digest + one_x) % ORDER, True)
    rare("key-is-minus-base", "The public key is the base point with the other y.",
         key_for(ORDER - 1), one_x, (digest - one_x) % ORDER, True)


def square_root(number):
    """None where there is none."""
    root = pow(number, (ecdsa_signing.P + 1) // 4, ecdsa_signing.P)
    return root if (root * root - number) % ecdsa_signing.P == 0 else None


def point_past_order():
    """The first point of which x is n or more: there are not many below p."""
    x = ORDER
    while square_root(x ** 3 - 3 * x + B) is None:
        x += 1
    return x, (x, square_root(x ** 3 - 3 * x + B), 1)


def add_broken(broken, entries, value, ed25519):
    key_id = entries[0][4:12]
    broken("twice", "The same key twice.", entries[0] * 2, "MAN-6")
    broken("descending-key", "The larger key id first.", entries[1] + entries[0], "MAN-6")
    broken("before-ed25519", "The larger algorithm first.", entries[0] + ed25519, "MAN-6")
    for name, comment, bad in (("short", "A signature of 63 bytes.", value[:-1]),
                               ("long", "A signature of 65 bytes.", value + b"\0"),
                               ("empty", "A signature of no bytes.", b""),
                               ("der", "r and s in DER, as X.509 has them.", der(value))):
        broken(name, comment, wire.signature(P256, key_id, bad), "MAN-7")


def der(value):
    def integer(data):
        data = (b"\0" if data[0] & 0x80 else b"") + data
        return bytes([2, len(data)]) + data

    both = integer(value[:32]) + integer(value[32:])
    return bytes([0x30, len(both)]) + both
