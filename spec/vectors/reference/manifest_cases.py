"""manifest.json: section 4.2, every rule kept and every rule broken."""

from . import p256_cases, sealing, signing, wire
from .book import Book

NAME, VERSION, ADDRESS, SKETCH, HARDWARE, COMPONENT, COUNTER, EXPIRY, ENCODING, BASE, SEAL = (
    wire.ATTRIBUTES[name] for name in (
        "name", "version", "loadAddress", "sketch", "hardware", "component", "counter", "expiry",
        "encoding", "base", "seal"))
NONE, ZLIB, PATCH = (wire.COMPRESSIONS[name] for name in ("none", "zlib", "patch"))
SEALED = wire.SEALED
SMALL = b"firmware image, 40 bytes, first version."


def book():
    made = Book("manifest", "Manifests (section 4.2) as a receiver or a tool reads them.")
    add_images(made)
    add_attributes(made)
    add_lengths(made)
    add_headers(made)
    add_block_counts(made)
    add_signatures(made)
    add_broken_attributes(made)
    add_broken_texts(made)
    add_encodings(made)
    add_broken_encodings(made)
    return made


def add_valid(made, identifier, comment, repeat, byte_count, k=8, attributes=(), flags=None,
              data=None, signatures=(), **fields):
    """Object 1 is `repeat`, repeated to `byte_count` bytes; `data` is the manifest where it has
    `signatures`, which are (algorithm, key id, value)."""
    image = (repeat * (byte_count // len(repeat) + 1))[:byte_count]
    data = data or wire.manifest(image, k, attributes)
    flags = flags or (["MAN-1", "MAN-2"] if attributes else ["MAN-1"])
    blocks = [image[start:start + (1 << k)] for start in range(0, byte_count, 1 << k)]
    made.valid(identifier, comment, flags,
               image={"byteCount": byte_count, "repeat": repeat.hex()},
               hex=data.hex(), transferTag=wire.tag(data),
               verifiedDetail=detail(image, attributes),
               manifest={"k": k, "imageByteCount": byte_count,
                         "imageSHA256": wire.sha256(image).hex(),
                         "attributes": [{"type": kind, "value": value.hex()}
                                        for kind, value in attributes],
                         "blockHashes": [wire.sha256(block)[:16].hex() for block in blocks],
                         "signatures": [{"algorithm": algorithm, "keyID": key_id.hex(),
                                         "value": value.hex()}
                                        for algorithm, key_id, value in signatures]},
               **fields)


def detail(image, attributes):
    """[END-1]: of an encoded image the SHA-256 that it has when it is decoded."""
    encodings = [value for kind, value in attributes if kind == ENCODING]
    return wire.detail_of(encodings[0][5:]) if encodings else wire.verified_detail(image)


def add_invalid(made, identifier, comment, flags, reason, data):
    made.invalid(identifier, comment, flags, reason, hex=data.hex())


def add_images(made):
    add_valid(made, "one-byte", "The smallest manifest: an image of one byte.", b"\x5a", 1)
    for count in (255, 256, 257, 511, 512, 513, 700):
        add_valid(made, "image-%d" % count, "An image of %d bytes in blocks of 256." % count,
                  wire.pattern(count, count), count)
    for k in range(8, 17):
        add_valid(made, "k-%d" % k, "Blocks of %d bytes, the last of one byte." % (1 << k),
                  wire.pattern(k, 64), (1 << k) + 1, k)
    add_valid(made, "zeros", "An image of zeros.", b"\0", 1024)
    add_valid(made, "equal-blocks", "Equal blocks have equal hashes.", b"bleota!!", 1024, 8)


def add_attributes(made):
    def one(identifier, comment, *attributes):
        add_valid(made, "attributes." + identifier, comment, SMALL, 40, 8, attributes)

    one("name", "A file name.", (NAME, b"lamp.bin"))
    one("name-1", "The shortest name.", (NAME, b"x"))
    one("name-255", "The longest name.", (NAME, b"n" * 255))
    one("name-utf8", "A name of letters of 2 to 4 bytes.",
        (NAME, "L\u00e4mpchen-\u20ac-\U0001f4a1.bin".encode("utf-8")))
    one("version", "A version.", (VERSION, b"2.1.0-rc.3"))
    one("version-1", "The shortest version.", (VERSION, b"7"))
    one("version-64", "The longest version.", (VERSION, b"v" * 64))
    one("address", "A load address.", (ADDRESS, (0x08004000).to_bytes(8, "little")))
    one("address-largest", "The largest load address.", (ADDRESS, b"\xff" * 8))
    one("all", "Every attribute that may be skipped.", (NAME, b"lamp.bin"), (VERSION, b"2.1.0"),
        (ADDRESS, bytes(8)), (SKETCH, wire.sketch(SMALL, 8, 1)))
    one("gaps", "Types ascend, but need not be consecutive.", (NAME, b"lamp.bin"),
        (ADDRESS, bytes(8)))
    one("sketch", "A sketch without an encoding says nothing.",
        (SKETCH, wire.sketch(wire.pattern(4, 2300), 8, 3)))
    low_high = (2).to_bytes(2, "little") + (5).to_bytes(2, "little")
    one("hardware", "Revisions 2 to 5.", (HARDWARE, low_high + b"acme/lamp"))
    one("hardware-one", "One revision.", (HARDWARE, b"\3\0\3\0acme/lamp"))
    one("hardware-shortest", "The shortest name.", (HARDWARE, b"\0\0\xff\xffa/b"))
    one("hardware-longest", "The longest name.", (HARDWARE, b"\0\0\0\0" + b"v" * 31 + b"/" + b"h" * 32))
    one("component", "A part of the device.", (COMPONENT, b"radio"))
    one("component-64", "The longest name of a part.", (COMPONENT, b"c" * 64))
    one("counter", "A security counter.", (COUNTER, (7).to_bytes(4, "little")))
    one("counter-largest", "The largest counter.", (COUNTER, b"\xff" * 4))
    one("expiry", "The last second of 2027.", (EXPIRY, (1830297599).to_bytes(8, "little")))
    one("restrictions", "All that says who may install it.", (VERSION, b"2.1.0"),
        (HARDWARE, low_high + b"acme/lamp"), (COMPONENT, b"radio"), (COUNTER, b"\7\0\0\0"),
        (EXPIRY, (1830297599).to_bytes(8, "little")))
    one("unknown-00", "Type 0x00 is never assigned, and is skipped as an unknown attribute.", (0, b"none"))
    one("unknown-05", "An unknown attribute without bit 7 is skipped.", (5, b"later"))
    one("unknown-3f", "An unknown attribute without bit 7 is skipped.", (NAME, b"a"), (0x3F, b"b"))
    one("private-40", "A private attribute without bit 7 is skipped.", (0x40, b"\0\1\2"))
    one("private-7f", "The last type that may be skipped, without a value.", (0x7F, b""))
    one("private-long", "An unknown attribute of 255 bytes.", (0x55, wire.pattern(55, 255)))
    one("full", "Attributes that fill all 4,096 bytes.", *filling(4096))


def filling(byte_count):
    """16 private attributes of `byte_count` bytes in all."""
    last = byte_count - 15 * 257 - 2
    return [(0x40 + i, wire.pattern(i, 255)) for i in range(15)] + [(0x4F, wire.pattern(15, last))]


def add_lengths(made):
    whole = wire.manifest(SMALL, 8, [(NAME, b"lamp.bin")])
    for length in (0, 1, 3, 4, 5, 15, 16, 47, 48, 57, 58, 65, 66, 73, 74, len(whole) - 1):
        add_invalid(made, "cut-%d" % length, "A manifest of %d bytes cut to %d." %
                    (len(whole), length), ["MAN-1"], "length", whole[:length])
    for extra in (1, 2, 16):
        add_invalid(made, "long-%d" % extra, "%d bytes behind the manifest." % extra, ["MAN-1"],
                    "length", whole + bytes(extra))
    add_invalid(made, "twice", "Two manifests, one behind the other.", ["MAN-1"], "length",
                whole + whole)
    for count in (0, 2, 9, 11, 26, 4096):
        changed = wire.manifest(SMALL, 8, [(NAME, b"lamp.bin")], attribute_byte_count=count)
        add_invalid(made, "attribute-byte-count-%d" % count, "T is %d where the attributes have 10 "
                    "bytes." % count, ["MAN-1"], "length", changed)


def add_headers(made):
    def plain(identifier, comment, reason, flags=("OBJ-3",), **changes):
        add_invalid(made, identifier, comment, list(flags), reason,
                    wire.manifest(SMALL, changes.pop("k", 8), **changes))

    for offset in range(4):
        magic = bytearray(b"BLM1")
        magic[offset] ^= 0x20
        plain("magic-%d" % offset, "One letter of the magic number wrong.", "magic",
              magic=bytes(magic))
    plain("magic-blm2", "Another magic number.", "magic", magic=b"BLM2")
    plain("magic-reversed", "The magic number in the other byte order.", "magic", magic=b"1MLB")
    plain("magic-zero", "No magic number.", "magic", magic=bytes(4))
    for version in (0, 2, 3, 16, 255):
        plain("format-version-%d" % version, "Another format version.", "version",
              format_version=version)
    for bit in range(16):
        plain("reserved-6-bit-%02d" % bit, "A reserved bit at offset 6.", "reserved",
              reserved6=1 << bit)
        plain("reserved-14-bit-%02d" % bit, "A reserved bit at offset 14.", "reserved",
              reserved14=1 << bit)
    for k in (0, 1, 7, 17, 31, 32, 64, 255):
        data = bytearray(wire.manifest(SMALL, 8))
        data[5] = k
        if k == 0:
            data = wire.manifest(SMALL, 0)
        elif k == 7:
            data = wire.manifest(SMALL * 4, 7)
        add_invalid(made, "k-%d-out" % k, "k is out of its range.", ["OBJ-3"], "range",
                    bytes(data))
    add_invalid(made, "no-image", "An image of no bytes, with no block.", ["OBJ-3"], "range",
                wire.manifest(b"", 8, [(0x40, bytes(14))]))
    add_invalid(made, "no-image-one-block", "An image of no bytes, with one block.", ["OBJ-3"],
                "range", wire.assemble_manifest(8, 0, wire.sha256(b""), b"",
                                                [wire.sha256(b"")[:16]]))
    add_invalid(made, "attributes-4097", "Attributes of 4,097 bytes.", ["OBJ-3"], "range",
                wire.manifest(SMALL, 8, filling(4097)))
    plain("attributes-65535", "T is 65,535.", "range", attribute_byte_count=65535)
    plain("priority.magic-before-version", "Both are wrong: the magic number counts.", "magic",
          magic=b"BLM2", format_version=2)
    plain("priority.version-before-reserved", "Both are wrong: the format version counts.",
          "version", format_version=2, reserved6=1)
    plain("priority.reserved-before-range", "Both are wrong: the reserved bits count.", "reserved",
          reserved14=1, k=7)


def add_block_counts(made):
    def counted(identifier, comment, k, byte_count, hash_count, attributes=b""):
        hashes = [wire.sha256(bytes([i]))[:16] for i in range(hash_count)]
        add_invalid(made, identifier, comment, ["MAN-1"], "length",
                    wire.assemble_manifest(k, byte_count, wire.sha256(SMALL), attributes, hashes))

    counted("blocks-256-of-2", "256 bytes are one block, not two.", 8, 256, 2)
    counted("blocks-257-of-1", "257 bytes are two blocks, not one.", 8, 257, 1)
    counted("blocks-512-of-1", "512 bytes are two blocks, not one.", 8, 512, 1)
    counted("blocks-513-of-2", "513 bytes are three blocks, not two.", 8, 513, 2)
    counted("blocks-65537-of-1", "65,537 bytes are two of the largest blocks.", 16, 65537, 1)
    for k in (8, 16):
        counted("largest-image-k-%d-of-1" % k, "The largest image needs more than one hash.", k,
                4294967295, 1)
        counted("largest-image-k-%d-of-0" % k, "A block count computed in 32 bits would wrap to "
                "zero here.", k, 4294967295, 0, bytes([0x40, 14]) + bytes(14))


def add_signatures(made):
    seeds = [wire.sha256(b"bleota test key %d" % index) for index in range(3)]
    keys = [signing.public_key(seed) for seed in seeds]
    attributes = [(HARDWARE, b"\2\0\5\0acme/lamp"), (COUNTER, b"\7\0\0\0")]
    unsigned = wire.manifest(SMALL, 8, attributes)

    def entries(data):
        found, space = [], data[len(unsigned):]
        while space:
            size = 12 + int.from_bytes(space[2:4], "little")
            found.append((space[0], space[4:12], space[12:size]))
            space = space[size:]
        return found

    def one(identifier, comment, data, signed_by, not_signed_by=()):
        add_valid(made, "signed." + identifier, comment, SMALL, 40, 8, attributes,
                  ["MAN-6", "MAN-7"], data, entries(data),
                  signedBy=[key.hex() for key in signed_by],
                  notSignedBy=[key.hex() for key in not_signed_by])

    for count in (1, 2, 3):
        one("%d" % count, "Signed by %d keys." % count,
            wire.signed_manifest(SMALL, 8, attributes, seeds[:count]), keys[:count], keys[count:])
    right = wire.signed_manifest(SMALL, 8, attributes, seeds[:1])
    for place, offset in (("first-bit", 12), ("point", 40), ("response", 12 + 40)):
        changed = bytearray(right)
        changed[len(unsigned) + offset] ^= 1
        one("wrong-%s" % place, "A signature with one bit changed is well-formed and wrong.",
            bytes(changed), [], keys[:1])
    other = wire.signed_manifest(SMALL[:-1] + b"!", 8, attributes, seeds[:1])
    one("of-another", "The signature of another manifest.",
        unsigned[:-2] + other[len(unsigned) - 2:], [], keys[:1])
    bare = signing.sign(seeds[0], wire.sha256(unsigned[:-2]))
    key_id = wire.sha256(keys[0])[:8]
    one("without-label", "A signature over the hash alone is none.",
        assemble(unsigned, wire.signature(1, key_id, bare)), [], keys[:1])
    one("large-response", "The order of the group added to the second half: RFC 8032 refuses it.",
        assemble(unsigned, wire.signature(1, key_id, enlarged(entries(right)[0][2]))), [], keys[:1])
    one("unknown-algorithm", "A signature with an unknown algorithm, of any length, beside a right "
        "one.", assemble(unsigned, wire.signature(1, *entries(right)[0][1:])
                         + wire.signature(200, key_id, b"later")), keys[:1])
    one("unknown-bare", "One without a value.",
        assemble(unsigned, wire.signature(3, key_id, b"")), [], keys[:1])
    one("full", "Signatures that fill all 4,096 bytes.",
        assemble(unsigned, wire.signature(9, key_id, wire.pattern(1, 4084))), [], keys[:1])
    add_broken_signatures(made, unsigned, key_id, entries(right)[0][2])
    p256_cases.add(
        unsigned, wire.manifest(SMALL[:-1] + b"!", 8, attributes),
        lambda name, comment, signatures, signed_by, not_signed_by=(): one(
            "p256-" + name, comment, assemble(unsigned, signatures), signed_by, not_signed_by),
        lambda name, comment, signatures, flag: add_invalid(
            made, "signed.p256-" + name, comment, [flag], "signature", assemble(unsigned, signatures)))


def assemble(unsigned, signatures):
    return unsigned[:-2] + len(signatures).to_bytes(2, "little") + signatures


def enlarged(value):
    response = int.from_bytes(value[32:], "little") + signing.ORDER
    return value[:32] + response.to_bytes(32, "little")


def add_broken_signatures(made, unsigned, key_id, value):
    def one(identifier, comment, signatures, reason="signature", flags=("MAN-6",)):
        add_invalid(made, "signed." + identifier, comment, list(flags), reason,
                    assemble(unsigned, signatures))

    right = wire.signature(1, key_id, value)
    larger = (int.from_bytes(key_id, "little") + 1).to_bytes(8, "little")
    one("twice", "The same key twice.", right + right)
    one("descending-key", "The larger key id first.", wire.signature(1, larger, value) + right)
    one("unknown-first", "The larger algorithm first, which is unknown.",
        wire.signature(3, key_id, b"") + right)
    one("cut-head", "Eleven bytes can't be a signature.", right + bytes(11))
    one("overrun", "A value one byte longer than the space.",
        wire.signature(1, key_id, value[:-1], value_byte_count=64))
    one("short", "A signature of 63 bytes.", wire.signature(1, key_id, value[:-1]), flags=("MAN-7",))
    one("long", "A signature of 65 bytes.", wire.signature(1, key_id, value + b"\0"),
        flags=("MAN-7",))
    one("empty", "A signature of no bytes.", wire.signature(1, key_id, b""), flags=("MAN-7",))
    one("reserved", "A reserved bit.", wire.signature(1, key_id, value, reserved=0x80), "reserved",
        ("OBJ-3",))
    one("too-many", "Signatures of 4,097 bytes.", wire.signature(9, key_id, bytes(4085)), "range",
        ("OBJ-3",))
    for count, behind in ((1, 0), (64, 0), (76, 75), (76, 77), (4096, 0)):
        data = unsigned[:-2] + count.to_bytes(2, "little") + (right + bytes(64))[:behind]
        add_invalid(made, "signature-%d-%d" % (count, behind), "A signature byte count of %d, and "
                    "%d bytes behind it." % (count, behind), ["MAN-1"], "length", data)


def add_broken_attributes(made):
    def raw(identifier, comment, attributes, reason="attribute", flags=("MAN-2",)):
        image_hash = wire.sha256(SMALL)
        add_invalid(made, "attributes." + identifier, comment, list(flags), reason,
                    wire.assemble_manifest(8, 40, image_hash, attributes, [image_hash[:16]]))

    name, version, address = b"\1\4lamp", b"\2\0032.1", b"\3\x08" + bytes(8)
    raw("descending", "The version stands before the name.", version + name)
    raw("descending-late", "The third attribute stands too late.", name + address + version)
    raw("name-twice", "Two names.", name + name)
    raw("private-twice", "A type that is skipped, twice.", b"\x40\0\x40\0")
    raw("private-descending", "Types that are skipped, in descending order.", b"\x41\0\x40\0")
    raw("one-byte", "One byte can't be an attribute.", b"\1")
    raw("trailing-byte", "One byte behind the last attribute.", name + b"\2")
    raw("trailing-zero", "A zero byte behind the last attribute.", name + b"\0")
    raw("overrun-1", "A value one byte longer than the space.", b"\1\5lamp")
    raw("overrun-hashes", "A value that reaches into the hashes.", b"\1\x14lamp")
    raw("overrun-all", "A value that reaches past the manifest.", b"\1\xfflamp")
    raw("overrun-second", "The second value reaches past the space.", name + b"\2\4" + b"2.1")
    raw("length-only", "A type and a length without the value.", b"\1\1")
    for kind in (0x88, 0x89, 0x90, 0xBF, 0xC0, 0xFF):
        raw("critical-%02x" % kind, "An unknown attribute that must be understood.",
            bytes([kind, 1, 0]), "unknown", ("MAN-3",))
    raw("critical-80", "Type 0x80 is never assigned, and is an unknown attribute that must be understood.",
        bytes([0x80, 1, 0]), "unknown", ("MAN-3",))
    raw("critical-last", "A name, and then an unknown attribute that must be understood.",
        name + b"\x90\0", "unknown", ("MAN-3",))
    raw("critical-after-private", "Skipping one unknown attribute does not skip the next.",
        b"\x40\1x\xc1\1y", "unknown", ("MAN-3",))
    raw("name-empty", "An empty name.", b"\1\0", flags=("OBJ-3",))
    raw("version-empty", "An empty version.", b"\2\0", flags=("OBJ-3",))
    raw("version-65", "A version of 65 bytes.", b"\2\x41" + b"v" * 65, flags=("MAN-5",))
    for count in (0, 4, 7, 9, 16):
        raw("address-%d" % count, "A load address of %d bytes." % count,
            bytes([3, count]) + bytes(count), flags=("MAN-5",))
    for kind, name, counts in ((SKETCH, "sketch", (0, 1, 3, 5, 253, 255)),
                               (COUNTER, "counter", (0, 3, 5, 8)), (EXPIRY, "expiry", (0, 4, 9)),
                               (COMPONENT, "component", (0, 65)),
                               (HARDWARE, "hardware", (0, 4, 6, 69))):
        for count in counts:
            raw("%s-%d" % (name, count), "A %s of %d bytes." % (name, count),
                bytes([kind, count]) + b"a" * count, flags=("MAN-5",))
    for word, value in (("no-slash", b"acme"), ("two-slashes", b"a/b/c"), ("no-vendor", b"/lamp"),
                        ("no-name", b"acme/"), ("zero", b"a/b\0")):
        raw("hardware-%s" % word, "A hardware that is not vendor/hardware: %s." % word,
            bytes([HARDWARE, 4 + len(value)]) + b"\0\0\1\0" + value, "hardware", ("MAN-8",))
    raw("hardware-revisions", "A lowest revision above the highest.",
        bytes([HARDWARE, 7]) + b"\2\0\1\0a/b", "hardware", ("MAN-8",))
    for word, value in (("slash", b"a/b"), ("leading-slash", b"/a"), ("zero", b"a\0b"),
                        ("dot", b"."), ("dots", b"..")):
        raw("name-path-%s" % word, "A name that says more than which file: %s." % word,
            bytes([1, len(value)]) + value, reason="path", flags=("MAN-5",))


def add_broken_texts(made):
    texts = [("ff", b"\xff", "a byte that never occurs"), ("latin1", b"caf\xe9", "Latin-1"),
             ("continuation", b"a\x80", "a continuation byte alone"),
             ("overlong-2", b"\xc0\xaf", "an overlong form of 2 bytes"),
             ("overlong-3", b"\xe0\x80\xaf", "an overlong form of 3 bytes"),
             ("overlong-4", b"\xf0\x80\x80\xaf", "an overlong form of 4 bytes"),
             ("surrogate", b"\xed\xa0\x80", "a surrogate"),
             ("past-unicode", b"\xf4\x90\x80\x80", "a number past U+10FFFF"),
             ("cut", b"\xe2\x82", "a letter cut short"),
             ("utf16", b"\xff\xfel\0", "UTF-16")]
    for kind, owner, before in ((NAME, "name", b""), (VERSION, "version", b""),
                                (COMPONENT, "component", b""), (HARDWARE, "hardware", b"\0\0\0\0a/b")):
        for word, value, comment in texts:
            add_invalid(made, "text.%s-%s" % (owner, word), "A %s that is not UTF-8: %s." %
                        (owner, comment), ["MAN-4"], "text",
                        wire.manifest(SMALL, 8, [(kind, before + value)]))


DECODED = b"what object 1 becomes"
DECODED_HASH = wire.sha256(DECODED)
BASE_VALUE = wire.sha256(b"what is current")


def encoding(first_byte, byte_count=len(DECODED), digest=DECODED_HASH):
    return ENCODING, wire.encoding(first_byte, byte_count, digest)


def seal(count):
    """A seal that the owners of `count` keys can open."""
    keys = [sealing.public_key(wire.sha256(b"bleota test recipient %d" % index)) for index in range(count)]
    return SEAL, sealing.seal(wire.sha256(b"bleota test ephemeral %d" % count), keys,
                              wire.sha256(b"bleota test content key %d" % count))


def numbered_seal(*key_ids):
    """A seal with these key ids, which nobody can open: a manifest does not show that."""
    return SEAL, wire.pattern(87, 32) + b"".join(key_id.to_bytes(8, "little") + wire.pattern(key_id % 251, 48)
                                                 for key_id in key_ids)


def add_encodings(made):
    base = (BASE, BASE_VALUE)

    def one(identifier, comment, *attributes, byte_count=40, k=8, flags=("MAN-9", "MAN-10")):
        add_valid(made, "encoded." + identifier, comment, SMALL, byte_count, k, attributes, list(flags))

    one("zlib", "A compressed image.", encoding(ZLIB))
    one("zlib-one-byte", "An image of one byte.", encoding(ZLIB, 1))
    one("zlib-largest", "The largest image.", encoding(ZLIB, 4294967295))
    one("zlib-blocks", "The blocks are those of the encoded image.", encoding(ZLIB, 2000), byte_count=700)
    one("patch", "A patch and its base.", encoding(PATCH), base)
    for count in (1, 2, 3):
        one("sealed-%d" % count, "Sealed for %d." % count, encoding(SEALED, 24), seal(count),
            flags=("MAN-10", "MAN-11"))
    one("sealed-blocks", "A sealed image of two pieces.", encoding(SEALED, 241), seal(1), byte_count=273)
    one("sealed-k-12", "A sealed image of one piece.", encoding(SEALED, 2000), seal(1), byte_count=2016, k=12)
    one("sealed-zlib", "Compressed, then sealed.", encoding(SEALED | ZLIB), seal(1))
    one("sealed-patch", "A patch, sealed.", encoding(SEALED | PATCH), base, seal(2))
    one("sealed-descending-bytes", "Key ids are compared as little-endian numbers.", encoding(SEALED, 24),
        numbered_seal(0xFF, 0x0100000000000000), flags=("MAN-11",))
    one("sealed-far-numbers", "Key ids from 0 to the largest.", encoding(SEALED, 24),
        numbered_seal(0, 1 << 63, (1 << 64) - 1), flags=("MAN-11",))
    for compression in (3, 95, 96, 127):
        one("unknown-%d" % compression, "A compression that is not known is for the policy to refuse.",
            encoding(compression))
        one("unknown-%d-base" % compression, "One that is not known may have a base.", encoding(compression), base)
    one("unknown-127-sealed", "One that is not known, sealed.", encoding(SEALED | 127), seal(1))
    one("unknown-3-base-sealed", "One that is not known with a base, sealed.", encoding(SEALED | 3), base, seal(3))
    add_sketches(one)
    one("all", "Every attribute there is.", (NAME, b"lamp.bin"), (VERSION, b"2.1.0"), (ADDRESS, bytes(8)),
        (SKETCH, wire.sketch(DECODED, 8, 1)), (HARDWARE, b"\2\0\5\0acme/lamp"),
        (COMPONENT, b"radio"), (COUNTER, b"\7\0\0\0"), (EXPIRY, b"\xff" * 8),
        encoding(SEALED | PATCH), base, seal(3))


def add_sketches(one):
    """A manifest does not show of what its sketch is; these are of an image that is not here."""
    def sketched(identifier, comment, image, count, first_byte=ZLIB, *more):
        one("sketch-" + identifier, comment, (SKETCH, wire.sketch(image, 8, count)),
            encoding(first_byte, len(image), wire.sha256(image)), *more, flags=("MAN-5",))

    sketched("one-entry", "A sketch of one entry, the shortest, of the only block.", DECODED, 1)
    sketched("3-entries", "A sketch of blocks 0, 3 and 6 of 9.", wire.pattern(9, 2300), 3)
    sketched("every-block", "A sketch of all blocks, the last of one byte.",
             wire.pattern(5, 1025), 5)
    sketched("63-entries", "A sketch of 63 entries, the longest, of 100 blocks.",
             wire.pattern(100, 25600), 63)
    sketched("patch", "A sketch beside a patch and its base.", wire.pattern(9, 2300), 4, PATCH,
             (BASE, BASE_VALUE))
    sketched("excess", "A sketch of more entries than the image has blocks says nothing.",
             DECODED, 2)
    sketched("excess-63", "A sketch of 63 entries where the image has 62 blocks.",
             wire.pattern(62, 62 * 256), 63)
    one("sketch-largest", "A sketch of the largest image, which is more than 31 bits count.",
        (SKETCH, wire.sketch(DECODED, 8, 1) * 63),
        encoding(ZLIB, 4294967295, wire.sha256(DECODED)), flags=("MAN-5",))


def add_broken_encodings(made):
    base = (BASE, BASE_VALUE)

    def one(identifier, comment, reason, flag, *attributes, **changes):
        add_invalid(made, "encoded." + identifier, comment, [flag], reason,
                    wire.manifest(SMALL, 8, attributes, **changes))

    for kind, name, counts in ((ENCODING, "encoding", (0, 1, 5, 36, 38)), (BASE, "base", (0, 1, 31, 33)),
                               (SEAL, "seal", (0, 1, 32, 87, 89, 143, 145, 199, 201, 255))):
        for count in counts:
            before = {ENCODING: [], BASE: [encoding(PATCH)], SEAL: [encoding(SEALED)]}[kind]
            one("%s-%d" % (name, count), "A %s of %d bytes." % (name, count), "attribute", "MAN-5",
                *before, (kind, wire.pattern(count, count)))
    one("nothing", "An encoding of no compression that is not sealed.", "encoding", "MAN-9", encoding(NONE))
    one("nothing-sealed", "The same, with a seal.", "encoding", "MAN-9", encoding(NONE), seal(1))
    for name, first_byte, more in (("zlib", ZLIB, []), ("patch", PATCH, [base]), ("sealed", SEALED, [seal(1)]),
                                   ("unknown", 3, [])):
        one("no-bytes-%s" % name, "An image of no bytes.", "encoding", "MAN-9", encoding(first_byte, 0), *more)
    one("no-base", "A patch without a base.", "encoding", "MAN-10", encoding(PATCH))
    one("no-base-sealed", "A sealed patch without a base.", "encoding", "MAN-10", encoding(SEALED | PATCH), seal(1))
    one("base-alone", "A base without an encoding.", "encoding", "MAN-10", base)
    one("base-zlib", "A base where nothing is patched.", "encoding", "MAN-10", encoding(ZLIB), base)
    one("base-zlib-sealed", "The same, sealed.", "encoding", "MAN-10", encoding(SEALED | ZLIB), base, seal(1))
    one("base-sealed", "A base where nothing is compressed.", "encoding", "MAN-10", encoding(SEALED), base, seal(1))
    one("seal-alone", "A seal without an encoding.", "encoding", "MAN-10", seal(1))
    one("seal-base-alone", "A base and a seal without an encoding.", "encoding", "MAN-10", base, seal(1))
    for name, first_byte, more in (("zlib", ZLIB, []), ("patch", PATCH, [base]), ("unknown", 127, []),
                                   ("unknown-base", 3, [base])):
        one("seal-%s" % name, "A seal where the encoding does not say that the image is sealed.", "encoding", "MAN-10",
            encoding(first_byte), *more, seal(1))
        one("no-seal-%s" % name, "The encoding says that the image is sealed, and there is no seal.", "encoding",
            "MAN-10", encoding(SEALED | first_byte), *more)
    one("no-seal", "The same where nothing is compressed.", "encoding", "MAN-10", encoding(SEALED))
    for name, key_ids, comment in (
            ("descending-2", (2, 1), "The larger key id first."),
            ("descending-3", (1, 3, 2), "The third key id below the second."),
            ("descending-far", (1 << 63, 1), "The larger key id first, larger in its last byte."),
            ("ascending-bytes", (0x0100000000000000, 0xFF), "Ascending as bytes, descending as little-endian numbers."),
            ("twice-2", (7, 7), "A recipient twice."),
            ("twice-3", (1, 7, 7), "The second recipient twice."),
            ("first-twice", (7, 7, 9), "The first recipient twice."),
            ("apart", (7, 9, 7), "A recipient twice, with another one between.")):
        one("seal-" + name, comment, "seal", "MAN-11", encoding(SEALED, 24), numbered_seal(*key_ids))
    real = seal(2)[1]
    one("seal-exchanged", "The recipients of a seal exchanged.", "seal", "MAN-11", encoding(SEALED, 24),
        (SEAL, real[:32] + real[88:] + real[32:88]))
    one("encoding-twice", "Two encodings.", "attribute", "MAN-2", encoding(ZLIB), encoding(ZLIB))
    one("base-first", "The base before the encoding.", "attribute", "MAN-2", base, encoding(PATCH))
    one("priority.nothing-before-seal", "Encoding and seal are both wrong: the first attribute counts.", "encoding",
        "MAN-9", encoding(NONE), numbered_seal(2, 1))
    one("priority.seal-before-base", "The seal is wrong and the base is missing: the attribute counts.", "seal",
        "MAN-11", encoding(SEALED | PATCH), numbered_seal(2, 1))
    one("priority.unknown-before-base", "An unknown attribute, and the base is missing: the attribute counts.",
        "unknown", "MAN-3", encoding(PATCH), (0x88, b""))
    one("priority.length-before-nothing", "An encoding of 36 zeros: the length counts.", "attribute", "MAN-5",
        (ENCODING, bytes(36)))
    one("priority.base-before-signature", "The base is missing and the signature is none: the attributes count.",
        "encoding", "MAN-10", encoding(PATCH), signatures=b"\1")
