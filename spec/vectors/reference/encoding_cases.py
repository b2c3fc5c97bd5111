"""encoding.json: sections 4.5 and 4.6, from a whole object 1 to the image."""

import struct

from . import packing, sealing, wire
from .book import Book

ZLIB, PATCH, SEALED = wire.COMPRESSIONS["zlib"], wire.COMPRESSIONS["patch"], wire.SEALED
END = packing.END
BASE = wire.pattern(77, 1200)
# As a real dictionary of RFC 8878 begins; but a base is raw content, whatever it begins with.
BASE_LIKE_A_DICTIONARY = struct.pack("<I", 0xEC30A437) + wire.pattern(78, 396)
# u of a point of order 8 on Curve25519: X25519 of it is zeros for every private key.
ORDER_8 = bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")
RECIPIENTS = [wire.sha256(b"bleota test recipient %d" % index) for index in range(4)]


def book():
    made = Book("encoding", "Encoded images (sections 4.5 and 4.6), and what they become.")
    add_zlib(made)
    add_broken_zlib(made)
    add_patches(made)
    add_formats_of_frames(made)
    add_broken_patches(made)
    add_sealed(made)
    add_broken_pieces(made)
    add_broken_keys(made)
    return made


def fields(encoded, encoding, image, byte_count=None, digest=None, k=8, base=None, seal=None, private_key=None):
    return {"k": k, "encoding": encoding,
            "imageByteCount": len(image) if byte_count is None else byte_count,
            "imageSHA256": (digest or wire.sha256(image)).hex(), "object": encoded.hex(),
            "base": None if base is None else base.hex(), "seal": None if seal is None else seal.hex(),
            "privateKey": None if private_key is None else private_key.hex()}


def add_valid(made, identifier, comment, encoded, encoding, image, flags=("ENC-3",), **more):
    made.valid(identifier, comment, list(flags), **fields(encoded, encoding, image, **more), image=image.hex())


def add_invalid(made, identifier, comment, reason, encoded, encoding, image, flags=("ENC-3",), **more):
    """`image` is what the encoding says: its length and SHA-256, unless they are given."""
    made.invalid(identifier, comment, list(flags), reason, **fields(encoded, encoding, image, **more))


def text(byte_count):
    """What a compressor likes."""
    lines = (b"%03d: the lamp is %s;\n" % (number, (b"on", b"off")[number % 3 == 0])
             for number in range(byte_count // 20 + 1))
    return b"".join(lines)[:byte_count]


# --- zlib ---

def add_zlib(made):
    def one(identifier, comment, deflated, image, **head):
        add_valid(made, "zlib." + identifier, comment,
                  packing.zlib_stream(deflated, image, packing.zlib_head(**head)), ZLIB, image)

    def deflate():
        return packing.Deflate()

    image = text(600)
    noise = wire.pattern(600, 600)
    one("one-byte", "An image of one byte, in a fixed block.", deflate().fixed(b"\x5a", True), b"\x5a")
    one("stored", "A stored block.", deflate().stored(noise, True), noise)
    one("stored-two", "Two stored blocks.", deflate().stored(noise[:1]).stored(noise[1:], True), noise)
    one("stored-empty", "A stored block of no bytes at the end.", deflate().stored(noise).stored(b"", True), noise)
    one("fixed", "A fixed block of literals alone, among them all of 9 bits.",
        deflate().fixed(bytes(range(256)), True), bytes(range(256)))
    one("fixed-matches", "A fixed block with matches.", deflate().fixed(packing.tokens(image), True), image)
    one("overlap", "Matches that reach into what they make: distances 1 and 3, lengths 258 and 257.",
        deflate().fixed([*b"a", (258, 1), *b"bcd", (257, 3)], True), b"a" * 259 + (b"bcd" * 87)[:260])
    for name, comment, lengths in (
            ("lengths-first", "A match of the smallest length of each code.", packing.LENGTH_BASES),
            ("lengths-last", "A match of the largest length of each code.",
             [length - 1 for length in packing.LENGTH_BASES[9:]] + [257])):
        matches = [(length, 1) for length in lengths]
        one(name, comment, deflate().fixed([7] + matches, True), extended(b"\7", matches))
    one("distances", "Matches 1 to 512 bytes back.",
        deflate().fixed([*noise[:512]] + [(3, 1 << power) for power in range(10)], True),
        extended(noise[:512], [(3, 1 << power) for power in range(10)]))
    one("dynamic", "A dynamic block with matches.", deflate().dynamic(packing.tokens(image), True), image)
    one("dynamic-literals", "A dynamic block without a match.", deflate().dynamic(image, True), image)
    one("mixed", "A block of each kind, with matches into the ones before.",
        deflate().stored(image[:100]).fixed([(200, 50)]).dynamic([(150, 275), 65], True),
        extended(image[:100], [(200, 50), (150, 275)]) + b"A")
    one("empty-fixed", "Fixed blocks of no bytes around one of all.",
        deflate().fixed([]).fixed(packing.tokens(image)).fixed([], True), image)
    one("window-256", "A head that promises no distance above 256.",
        deflate().fixed([*noise[:256], (100, 256)], True), noise[:256] + noise[:100], window_bits=8)
    for level in (0, 1, 3):
        one("level-%d" % level, "Another level in the head, which says nothing to a reader.",
            deflate().fixed(packing.tokens(image), True), image, level=level)


def extended(data, matches):
    made = bytearray(data)
    for length, distance in matches:
        for _ in range(length):
            made.append(made[-distance])
    return bytes(made)


def add_broken_zlib(made):
    image = text(600)
    whole = packing.zlib_stream(packing.Deflate().fixed(packing.tokens(image), True), image)

    def one(identifier, comment, encoded, reason="decoding", **more):
        add_invalid(made, "zlib." + identifier, comment, reason, encoded, ZLIB, more.pop("image", image), **more)

    def stream(identifier, comment, deflated, **more):
        one(identifier, comment, packing.zlib_stream(deflated, image), **more)

    def headed(identifier, comment, head):
        one(identifier, comment, head + whole[2:])

    for length, where in ((1, "in its head"), (2, "behind its head"), (3, "behind the head of its block"),
                          (len(whole) // 2, "in the middle of its block"),
                          (len(whole) - 5, "before the end of its block"),
                          (len(whole) - 4, "before its Adler-32"), (len(whole) - 1, "in its Adler-32")):
        one("cut-%d" % length, "A stream of %d bytes that ends %s." % (len(whole), where), whole[:length])
    stream("no-last-block", "No block says that it is the last.", packing.Deflate().fixed(packing.tokens(image)))
    for place in range(4):
        changed = bytearray(whole)
        changed[len(whole) - 4 + place] ^= 1
        one("adler-%d" % place, "A bit of the Adler-32 changed; the image is right.", bytes(changed))
    one("adler-little-endian", "The Adler-32 in the other byte order.", whole[:-4] + whole[:-5:-1])
    one("behind-zero", "A zero byte behind the end.", whole + b"\0")
    one("behind-many", "300 bytes behind the end.", whole + bytes(300))
    one("behind-stream", "A second stream behind the first.", whole + whole)
    headed("head-check", "The check bits of the head are wrong.", bytes([whole[0], whole[1] ^ 1]))
    headed("head-method", "Another method than 8.", packing.zlib_head(method=7))
    headed("head-window", "A window of 64 KiB.", packing.zlib_head(window_bits=16))
    preset = packing.zlib_head(preset=1)
    headed("preset", "A preset dictionary, and its Adler-32.", preset + struct.pack(">I", packing.adler32(image)))
    headed("no-head", "The bits of RFC 1951 without head.", b"")
    one("gzip", "A stream of RFC 1952.", bytes.fromhex("1f8b08000000000000ff") + whole[2:-4] + bytes(8))
    kind = packing.Deflate()
    kind.head(3, True)
    stream("block-3", "A block of the kind that is reserved.", kind.number(0, 29))
    stream("stored-complement", "The length of a stored block does not agree with its complement.",
           packing.Deflate().stored(image, True, complement=len(image)))
    stream("distance-far", "A match from one byte before the first.",
           packing.Deflate().fixed([*image[:10], (20, 11), *image[30:]], True))
    stream("distance-nothing", "A match before there is anything.", packing.Deflate().fixed([(10, 1)], True))
    for bits, comment in ((0xC6, "The code 286 of a length, which there is not."),
                          (0xC7, "The code 287 of a length, which there is not.")):
        wrong = packing.Deflate()
        wrong.head(1, True)
        wrong.code((bits, 8))
        stream("length-%d" % (bits + 88), comment, wrong.number(0, 24))
    wrong = packing.Deflate()
    wrong.head(1, True)
    wrong.code((0x30 + image[0], 8))
    wrong.code((1, 7))
    wrong.code((30, 5))
    stream("distance-30", "The code 30 of a distance, which there is not.", wrong.number(0, 24))
    stream("oversubscribed", "A dynamic block with more codes than bits can tell apart.",
           packing.Deflate().dynamic([65], True, {65: 1, 66: 1, END: 1}))
    stream("incomplete", "A dynamic block with a code that is not used up.",
           packing.Deflate().dynamic([65], True, {65: 3, 66: 3, END: 3}))
    stream("no-end", "A dynamic block without a code for its end.",
           packing.Deflate().dynamic([], True, {65: 1, 66: 1}))
    one("one-fewer", "One byte fewer than stated.", whole, "length", byte_count=601, digest=wire.sha256(image + b"\0"))
    one("one-more", "One byte more than stated.", whole, "length", flags=("ENC-2",), byte_count=599,
        digest=wire.sha256(image[:-1]))
    one("one-stated", "600 bytes where 1 is stated.", whole, "length", flags=("ENC-2",), image=image[:1])
    one("nothing", "A stream of no bytes.", packing.zlib_stream(packing.Deflate().fixed([], True), b""), "length",
        image=b"\0")
    one("bomb", "1 MiB where 100 bytes are stated.", zlib_bomb(), "length", flags=("ENC-2",), image=bytes(100))
    one("hash", "Another SHA-256 is stated.", whole, "hash", digest=wire.sha256(b"another image"))
    one("hash-of-object", "The SHA-256 of the object is stated.", whole, "hash", digest=wire.sha256(whole))
    one("other-image", "Another image of the same length.",
        packing.zlib_stream(packing.Deflate().stored(image[::-1], True), image[::-1]), "hash")


def zlib_bomb():
    """1 MiB of zeros: 2 bits for 258 bytes."""
    count, rest = divmod((1 << 20) - 1, 258)
    items = [0] + [(258, 1)] * count + [0] * rest
    deflated = packing.Deflate().dynamic(items, True, {0: 2, END: 2, 285: 1})
    return packing.zlib_stream(deflated, bytes(1 << 20))


# --- patch ---

def add_patches(made):
    def one(identifier, comment, patch, **modes):
        """One compressed block in a single segment."""
        add_valid(made, "patch." + identifier, comment,
                  packing.frame([patch.block(True, **modes)], len(patch.image)), PATCH, patch.image, base=patch.base)

    def patch(base=BASE):
        return packing.Patch(base)

    one("same", "The base and nothing else, by one sequence.", patch().copy(0, 1200))
    one("first-byte", "The first bytes of the base.", patch().copy(0, 30))
    one("last-byte", "The last bytes of the base.", patch().copy(1170, 30))
    one("replaced", "Bytes in the middle replaced.", patch().copy(0, 500).new(b"new firmware").copy(512, 688))
    one("inserted", "Bytes inserted.", patch().copy(0, 600).new(b"four more words here").copy(600, 600))
    one("removed", "Bytes removed.", patch().copy(0, 600).copy(650, 550))
    one("moved", "Two parts exchanged.", patch().copy(600, 600).copy(0, 600))
    one("before", "Bytes before what is copied.", patch().new(b"header: ").copy(100, 1000))
    one("behind", "Bytes behind what is copied, which no sequence takes.",
        patch().copy(0, 1200).new(wire.pattern(5, 300)))
    one("across", "A copy that begins in the base and goes on in the image.",
        patch().match(5, 40).new(b"and on").match(60, 30))
    one("overlap", "Copies that reach into what they make.",
        patch().new(b"ab").match(1, 50).new(b"cde").match(3, 100).copy(900, 100))
    one("dictionary", "A base that begins like a dictionary of RFC 8878 is raw content all the same.",
        patch(BASE_LIKE_A_DICTIONARY).copy(0, 200).new(b"changed").match(200, 4).copy(211, 189))
    one("dictionary-repeats", "The repeated offsets begin with 1, 4 and 8 here too.",
        repeats(patch(BASE_LIKE_A_DICTIONARY)))
    one("repeats", "The repeated offsets begin with 1, 4 and 8, and stay in the order of their use.", repeats(patch()))
    kept = patch().copy(0, 100)
    for place in range(4):
        kept.new(b"%04d" % place).match(1200, 200, value=1)
    one("repeated", "After bytes that are replaced, the offset is the one before.", kept)
    lengths = patch().new(wire.pattern(6, 70)).copy(3, 3)
    for count in (34, 35, 38, 43, 50, 66, 98, 130, 131, 260):
        lengths.new(wire.pattern(count, count // 3)).copy(count, count)
    one("lengths", "Lengths with and without more bits.", lengths)
    long = patch()
    long.new(wire.pattern(8, 600)).copy(0, 1100).new(b"x").copy(1, 1030)
    one("long", "600 literals, and copies of 1,100 and 1,030 bytes.", long)
    many = patch()
    for place in range(130):
        many.new(bytes([place])).copy(9 * place, 4)
    one("sequences-130", "More than 127 sequences, whose count has two bytes.", many)
    same = patch()
    for place in range(5):
        same.new(b"ab").match(1200 - 9 * place, 20)
    one("rle-tables", "All sequences have the same codes: tables of one code.", same, modes=(1, 1, 1))
    mixed = patch()
    for place in range(5):
        mixed.new(b"c").match(700 + 300 * (place % 2), 10 + place)
    one("rle-table", "A table of one code for the literal lengths alone.", mixed, modes=(1, 0, 0))
    equal = patch().new(b"\xff" * 20).copy(0, 300).new(b"\xff" * 40).copy(310, 300)
    one("rle-literals", "Literals that are all the same.", equal)
    for form in (1, 3):
        short = patch().copy(0, 100).new(b"new").copy(103, 100)
        one("literals-form-%d" % form, "Three literals, their count in more bytes than it needs.", short,
            size_format=form)


def repeats(patch):
    """Every way to say an offset by one that was used; behind each what the three are then."""
    patch.new(b"abcdefgh").match(1, 3, value=1)          # 1, 4, 8
    patch.new(b"i").match(4, 4, value=2)                 # 4, 1, 8
    patch.new(b"jk").match(8, 5, value=3)                # 8, 4, 1
    patch.match(4, 3, value=1)                           # 4, 8, 1
    patch.match(3, 6, value=3)                           # 3, 4, 8
    patch.match(8, 7, value=2)                           # 8, 3, 4
    return patch.new(b"l").match(8, 3, value=1).new(b"the end")


def add_formats_of_frames(made):
    image = wire.pattern(300, 300)

    def one(identifier, comment, encoded, result, base=BASE, **more):
        add_valid(made, "patch." + identifier, comment, encoded, PATCH, result, base=base, **more)

    raw = packing.block(packing.RAW, image, True)
    one("raw", "A raw block, and nothing of the base.", packing.frame([raw], 300), image)
    run = packing.block(packing.RLE, b"\xff", True, 700)
    one("rle", "One byte 700 times.", packing.frame([run], 700), b"\xff" * 700)
    one("one-byte", "An image of one byte.", packing.frame([packing.block(packing.RAW, b"\x5a", True)], 1), b"\x5a")
    blocks = [packing.block(packing.RAW, image[:50]), packing.block(packing.RLE, b"\0", size=60)]
    patch = packing.Patch(BASE).other(image[:50] + bytes(60))
    blocks.append(patch.copy(0, 400).new(b"more").copy(404, 300).block())
    one("blocks", "A block of each kind, and an empty one at the end.",
        packing.frame(blocks + [packing.block(packing.RAW, b"", True)], len(patch.image)), patch.image)
    patch = packing.Patch(BASE).new(b"one").copy(10, 300)
    blocks = [patch.block()]
    blocks.append(patch.new(b"two").match(1193, 200, value=1).block(True))
    one("two-blocks", "The repeated offsets go on in the next block.", packing.frame(blocks, len(patch.image)),
        patch.image)
    patch = packing.Patch(BASE).new(b"one").copy(10, 300)
    blocks = [patch.block()]
    blocks.append(patch.new(b"two").copy(500, 20).new(b"x").copy(600, 30).block(True, modes=(3, 3, 3)))
    one("repeated-tables", "The second block takes the tables of the first.", packing.frame(blocks, len(patch.image)),
        patch.image)
    patch = packing.Patch(BASE).copy(0, 200).new(b"changed").copy(207, 700)
    last, image = patch.block(True), patch.image
    one("checksum", "A frame with a checksum.", packing.frame([last], len(image), checked=image), image)
    for count in (4, 8):
        one("size-%d" % count, "The size in %d bytes." % count, packing.frame([last], len(image), count), image)
    one("of-8-bytes", "The shortest base.",
        packing.frame([packing.block(packing.RAW, b"new image", True)], 9), b"new image", base=bytes(8))


def add_broken_patches(made):
    patch = packing.Patch(BASE).copy(0, 200).new(b"changed").copy(207, 700)
    content, image = patch.content(), patch.image
    last = packing.block(packing.COMPRESSED, content, True)
    whole = packing.frame([last], len(image))

    def one(identifier, comment, encoded, reason="decoding", flags=("ENC-3",), **more):
        add_invalid(made, "patch." + identifier, comment, reason, encoded, PATCH, more.pop("image", image), flags,
                    base=more.pop("base", BASE), **more)

    def inside(identifier, comment, changed):
        one(identifier, comment, packing.frame([packing.block(packing.COMPRESSED, changed, True)], len(image)))

    for length, where in ((1, "in its magic number"), (4, "behind it"), (6, "in its size"), (7, "before its block"),
                          (8, "in the head of its block"), (10, "before the content of its block"),
                          (len(whole) - 1, "in its block")):
        one("cut-%d" % length, "A frame of %d bytes that ends %s." % (len(whole), where), whole[:length])
    one("no-last-block", "No block says that it is the last.",
        packing.frame([packing.block(packing.COMPRESSED, content)], len(image)))
    checked = packing.frame([last], len(image), checked=image)
    for count in (1, 4):
        one("checksum-cut-%d" % count, "A frame that ends in its checksum.", checked[:-count])
    one("behind-zero", "A zero byte behind the end.", whole + b"\0")
    one("behind-frame", "A second frame behind the first.", whole + whole)
    skipped = bytes.fromhex("502a4d18") + b"\4\0\0\0abcd"
    one("behind-skippable", "A frame to be skipped behind the first.", whole + skipped)
    one("skippable", "A frame to be skipped before the first.", skipped + whole)
    one("empty-frame", "A frame of no bytes before the first.",
        packing.frame([packing.block(packing.RAW, b"", True)], 0) + whole)
    one("window", "A frame with a window and without its size.", packing.frame([last], window=0))
    one("window-size", "A frame with a window and its size.", packing.frame([last], len(image), window=0x0B))
    one("dictionary-id", "A frame with the ID of a dictionary, if only 0.",
        packing.frame([last], len(image), dictionary_id=b"\0"))
    one("base-of-7-bytes", "A base of 7 bytes.",
        packing.frame([packing.block(packing.RAW, b"new image", True)], 9), image=b"new image", base=bytes(7))
    one("magic", "Another magic number.", b"\x27" + whole[1:])
    one("zlib", "A stream of RFC 1950.", packing.zlib_stream(packing.Deflate().stored(image, True), image))
    one("reserved-bit", "The reserved bit of the head.", packing.frame([last], len(image), flags=8))
    one("size-fewer", "The frame says one byte fewer than it has.", packing.frame([last], len(image) - 1))
    one("size-more", "The frame says one byte more than it has.", packing.frame([last], len(image) + 1))
    one("block-3", "A block of the kind that is reserved.",
        packing.frame([packing.block(packing.RESERVED, content, True)], len(image)))
    one("raw-too-large", "A raw block that is larger than the window.",
        packing.frame([packing.block(packing.RAW, image + bytes(200), True)], len(image)))
    inside("no-tables", "The first block takes the tables of the one before.",
           packing.literals_section(b"changed")
           + packing.sequences_section([(0, 1203, 200), (7, 1203, 700)], modes=(3, 3, 3)))
    inside("bits-none", "The bits of the sequences are none.", content[:-1] + b"\0")
    inside("bits-fewer", "The bits end before the last sequence.", content[:10] + content[11:])
    inside("sequences-more", "One sequence more than there are bits for.",
           content[:8] + bytes([content[8] + 1]) + content[9:])
    inside("sequences-none", "Bytes behind a count of no sequences.",
           packing.literals_section(image[:300]) + b"\0" + content[9:])
    inside("literals-more", "A sequence takes more literals than there are.",
           packing.literals_section(b"chang") + packing.sequences_section([(0, 1203, 200), (7, 1203, 700)]))
    inside("literals-past", "The literals go on past the block.", bytes([31 << 3]) + content[1:])
    inside("offset-code", "An offset of a code that there is not.",
           packing.literals_section(b"changed") + bytes([1, 0x10, 60]) + b"\xff" * 12)
    inside("offset-far", "A copy from one byte before the base.",
           packing.Patch(BASE).match(1201, 200).new(b"changed").copy(207, 700).content())
    one("one-fewer", "One byte fewer than stated.", whole, "length", byte_count=len(image) + 1,
        digest=wire.sha256(image + b"\0"))
    one("one-more", "One byte more than stated.", whole, "length", ("ENC-2",), byte_count=len(image) - 1,
        digest=wire.sha256(image[:-1]))
    one("nothing", "A frame of no bytes.", packing.frame([packing.block(packing.RAW, b"", True)], 0), "length",
        image=b"\0")
    full = [packing.block(packing.RLE, b"\0", place == 7, 1 << 17) for place in range(8)]
    one("bomb", "1 MiB where 100 bytes are stated.", packing.frame(full, 1 << 20), "length", ("ENC-2",),
        image=bytes(100))
    one("bomb-window", "1 MiB where 100 bytes are stated, in a frame that does not say its size.",
        packing.frame(full, window=0x50), "decoding", ("ENC-2",), image=bytes(100))
    one("hash", "Another SHA-256 is stated.", whole, "hash", digest=wire.sha256(b"another image"))
    one("other-base", "Another base of the same length.", whole, "hash", base=wire.pattern(76, 1200))
    one("shifted-base", "A base that has lost its first byte.", whole, "decoding", base=BASE[1:])


# --- sealed ---

class Sealed:
    """One object sealed with keys of its own; what it is made of can be changed before it is put together."""

    def __init__(self, name, data, count=1, k=8):
        self.ephemeral = wire.sha256(b"bleota test ephemeral " + name.encode())
        self.key = wire.sha256(b"bleota test content key " + name.encode())
        self.seal = sealing.seal(self.ephemeral, [sealing.public_key(key) for key in RECIPIENTS[:count]], self.key)
        self.k = k
        self.data = data
        self.pieces = sealing.pieces(self.key, k, data)

    def fields(self, recipient=0):
        return {"k": self.k, "seal": self.seal, "private_key": RECIPIENTS[recipient]}


def add_sealed(made):
    def one(identifier, comment, data, encoding=SEALED, image=None, count=1, recipients=(0,), k=8, **more):
        sealed = Sealed(identifier, data, count, k)
        for recipient in recipients:
            name = identifier + ("-%d" % (recipient + 1) if len(recipients) > 1 else "")
            add_valid(made, "sealed." + name, comment, b"".join(sealed.pieces), encoding,
                      data if image is None else image, ("ENC-3", "SEAL-2"), **sealed.fields(recipient), **more)

    one("one-byte", "An image of one byte.", b"\x5a")
    for count in (239, 240, 241, 480, 700):
        one("image-%d" % count, "%d bytes in pieces of 240." % count, wire.pattern(count, count))
    one("k-9", "Pieces of 496 bytes, the last of one byte.", wire.pattern(9, 497), k=9)
    image = text(600)
    one("recipients-2", "For two recipients.", image[:100], count=2, recipients=(0, 1))
    one("recipients-3", "For three recipients.", image[:300], count=3, recipients=(0, 1, 2))
    one("zlib", "Compressed, then sealed.",
        packing.zlib_stream(packing.Deflate().dynamic(packing.tokens(image), True), image), SEALED | ZLIB, image)
    patch = packing.Patch(BASE).copy(0, 200).new(wire.pattern(4, 350)).copy(550, 650)
    one("patch", "A patch, sealed.", packing.frame([patch.block(True)], len(patch.image)), SEALED | PATCH, patch.image,
        base=BASE)


def add_broken_pieces(made):
    image = wire.pattern(20, 600)
    sealed = Sealed("broken", image)
    first, second, last = sealed.pieces

    def one(identifier, comment, pieces, reason="tag", encoding=SEALED, flags=("SEAL-2",), made_by=sealed, **more):
        add_invalid(made, "sealed." + identifier, comment, reason, b"".join(pieces), encoding,
                    more.pop("image", image), flags, **made_by.fields(), **more)

    def flipped(piece, place):
        changed = bytearray(piece)
        changed[place] ^= 1
        return bytes(changed)

    one("tag-first", "A bit of the first tag changed.", [flipped(first, -1), second, last])
    one("tag-last", "A bit of the last tag changed.", [first, second, flipped(last, -16)])
    one("byte-first", "A bit of the first byte changed.", [flipped(first, 0), second, last])
    one("byte-middle", "A bit in the second piece changed.", [first, flipped(second, 120), last])
    one("byte-last", "A bit of the last byte before the tag changed.", [first, second, flipped(last, -17)])
    one("exchanged", "The first two pieces exchanged.", [second, first, last])
    one("truncated", "The last piece is missing, so none is the last.", [first, second],
        byte_count=480, digest=wire.sha256(image[:480]))
    one("truncated-to-one", "All but the first piece are missing.", [first],
        byte_count=240, digest=wire.sha256(image[:240]))
    one("no-first", "The first piece is missing.", [second, last], byte_count=360, digest=wire.sha256(image[240:]))
    one("repeated", "The first piece twice.", [first, first, second, last])
    full = Sealed("full", image[:480])
    one("appended", "A piece behind the one that is the last.", full.pieces + full.pieces[-1:], made_by=full)
    one("appended-byte", "A byte behind the last piece.", [first, second, last, b"\0"])
    one("appended-short", "Five bytes behind a full piece, too few for a tag.", full.pieces + [bytes(5)], made_by=full)
    one("cut", "The last piece without its last byte.", [first, second, last[:-1]])
    one("cut-in-tag", "Ten bytes of the last piece.", [first, second, last[:10]])
    parts = [image[:240], image[240:480], image[480:]]

    def pieces(key, nonces, parts=parts):
        return [sealing.encrypt(key, nonce, part) for nonce, part in zip(nonces, parts)]

    key = sealed.key
    one("all-last", "Every piece says that it is the last.",
        [sealing.piece(key, index, True, part) for index, part in enumerate(parts)])
    one("none-last", "No piece says that it is the last.",
        [sealing.piece(key, index, False, part) for index, part in enumerate(parts)])
    one("from-one", "The pieces are counted from 1.",
        [sealing.piece(key, index + 1, index == 2, part) for index, part in enumerate(parts)])
    one("big-endian", "The numbers in the nonce are big-endian.",
        pieces(key, [struct.pack(">QI", index, index == 2) for index in range(3)]))
    one("nonce-reversed", "The nonce has the mark of the last piece first.",
        pieces(key, [struct.pack("<IQ", index == 2, index) for index in range(3)]))
    empty = Sealed("empty", image[:240])
    one("empty-last", "A last piece of no bytes, with its tag.",
        [sealing.piece(empty.key, 0, False, image[:240]), sealing.piece(empty.key, 1, True, b"")],
        image=image[:240], made_by=empty)
    large = [image[:256], image[256:512], image[512:]]
    one("pieces-256", "Pieces of 256 bytes, so that no block is one.",
        [sealing.piece(key, index, index == 2, part) for index, part in enumerate(large)])
    whole = Sealed("whole", image)
    one("one-piece", "All in one piece.", [sealing.piece(whole.key, 0, True, image)], made_by=whole)
    other = Sealed("other", image)
    one("other-key", "Pieces of another content key.", other.pieces)
    bare = packing.zlib_stream(packing.Deflate().stored(first, True), first)
    one("sealed-first", "Sealed first, then compressed.", [bare], encoding=SEALED | ZLIB, image=image[:240])
    one("not-sealed", "An image that is not sealed at all.", [image])
    damaged = bytearray(packing.zlib_stream(packing.Deflate().stored(image, True), image))
    damaged[300] ^= 1
    inner = Sealed("damaged", bytes(damaged))
    one("zlib-damaged", "What was sealed is a damaged stream.", inner.pieces, "decoding", SEALED | ZLIB, ("ENC-3",),
        inner)
    bomb = Sealed("bomb", zlib_bomb())
    one("zlib-bomb", "What was sealed becomes 1 MiB where 100 bytes are stated.", bomb.pieces, "length", SEALED | ZLIB,
        ("ENC-2",), bomb, image=bytes(100))
    one("one-fewer", "One byte fewer than stated.", sealed.pieces, "length", flags=("ENC-3",), byte_count=601)
    one("one-more", "One byte more than stated.", sealed.pieces, "length", flags=("ENC-2",), byte_count=599)
    one("hash", "Another SHA-256 is stated.", sealed.pieces, "hash", flags=("ENC-3",), digest=wire.sha256(b"another"))


def add_broken_keys(made):
    image = wire.pattern(21, 100)
    sealed = Sealed("keys", image, 2)

    def one(identifier, comment, reason, seal, recipient=0):
        add_invalid(made, "sealed." + identifier, comment, reason, b"".join(sealed.pieces), SEALED, image,
                    ("ACCEPT-9",), k=8, seal=seal, private_key=RECIPIENTS[recipient])

    one("recipient", "The key of somebody else.", "recipient", sealed.seal, 3)
    one("recipient-third", "Sealed for two, and not for the third.", "recipient", sealed.seal, 2)
    ephemeral, entries = sealed.seal[:32], [sealed.seal[32:88], sealed.seal[88:]]

    def changed(place):
        data = bytearray(sealed.seal)
        data[place] ^= 1
        return bytes(data)

    own = sealing.key_id(sealing.public_key(RECIPIENTS[0]))
    place = 32 + 56 * [entry[:8] for entry in entries].index(own)
    one("recipient-bit", "The own key id with one bit changed.", "recipient", changed(place))
    one("key-byte", "A bit of the sealed content key changed.", "key", changed(place + 8))
    one("key-tag", "A bit of its tag changed.", "key", changed(place + 55))
    one("key-ephemeral", "A bit of E changed.", "key", changed(3))
    one("key-exchanged", "The content keys of the two recipients exchanged.", "key",
        ephemeral + entries[0][:8] + entries[1][8:] + entries[1][:8] + entries[0][8:])

    def sealed_with(salt=None, info=sealing.INFO, nonce=bytes(12), further=b""):
        """One recipient, but with a key or a nonce that is not that of section 4.6."""
        public = sealing.public_key(RECIPIENTS[0])
        secret = sealing.x25519(sealed.ephemeral, public)
        key = sealing.hkdf(secret, ephemeral + public if salt is None else salt, info, 32)
        return ephemeral + own + sealing.encrypt(key, nonce, sealed.key, further)

    public = sealing.public_key(RECIPIENTS[0])
    one("key-salt-exchanged", "R before E in the salt.", "key", sealed_with(salt=public + ephemeral))
    one("key-no-salt", "Without salt.", "key", sealed_with(salt=b""))
    one("key-info", "Another info.", "key", sealed_with(info=b"bleota seal key2"))
    one("key-nonce", "Another nonce.", "key", sealed_with(nonce=b"\1" + bytes(11)))
    one("key-further", "The key id as further data.", "key", sealed_with(further=own))

    def sealed_with_zeros(low_order):
        """Nothing is wrong but E, with which everyone has the same secret."""
        key = sealing.hkdf(bytes(32), low_order + public, sealing.INFO, 32)
        return low_order + own + sealing.encrypt(key, bytes(12), sealed.key)

    one("key-zero", "E is zero, so the shared secret is zeros; the content key is sealed with it.",
        "key", sealed_with_zeros(bytes(32)))
    one("key-zero-order-8", "The same with an E of order 8: the secret must not be zeros.",
        "key", sealed_with_zeros(ORDER_8))
