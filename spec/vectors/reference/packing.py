"""The writing side of section 4.5: streams of RFC 1950 and frames of RFC 8878, bit by bit.

A library may compress otherwise in another version; what is written here stays the same, and can be broken at will.
The matches of a frame are those that a vector asks for.
"""

import struct

# --- RFC 1951 and RFC 1950 ---

LENGTH_BASES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
                195, 227, 258]
LENGTH_BITS = [0] * 8 + [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4 + [5] * 4 + [0]
DISTANCE_BASES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
                  4097, 6145, 8193, 12289, 16385, 24577]
DISTANCE_BITS = [0, 0, 0, 0] + [code // 2 - 1 for code in range(4, 30)]
END = 256
# RFC 1951, 3.2.6.
FIXED_LENGTHS = dict([(code, 8) for code in range(144)] + [(code, 9) for code in range(144, 256)]
                     + [(code, 7) for code in range(256, 280)] + [(code, 8) for code in range(280, 288)])
FIXED_DISTANCES = {code: 5 for code in range(32)}
# RFC 1951, 3.2.7: the order of the lengths of the code by which the lengths are written.
ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]


def codes(lengths):
    """RFC 1951, 3.2.2: {symbol: (code, bit count)} for {symbol: bit count}."""
    made, code, before = {}, 0, 0
    for count, symbol in sorted((count, symbol) for symbol, count in lengths.items()):
        code <<= count - before
        made[symbol] = (code, count)
        code, before = code + 1, count
    return made


def even_lengths(symbols):
    """Bit counts that use up all codes: m bits for some of the symbols, m - 1 for the first of them."""
    symbols = sorted(symbols)
    longest = max((len(symbols) - 1).bit_length(), 1)
    short = (1 << longest) - len(symbols) if len(symbols) > 1 else 0
    return {symbol: longest - 1 if place < short else longest for place, symbol in enumerate(symbols)}


def symbols(token):
    """A token is a literal, END, or (length, distance): its symbols as (is distance, symbol, more, bit count)."""
    if isinstance(token, int):
        return [(False, token, 0, 0)]
    length, distance = token
    place = max(i for i, base in enumerate(LENGTH_BASES) if base <= length)
    code = max(i for i, base in enumerate(DISTANCE_BASES) if base <= distance)
    return [(False, 257 + place, length - LENGTH_BASES[place], LENGTH_BITS[place]),
            (True, code, distance - DISTANCE_BASES[code], DISTANCE_BITS[code])]


def tokens(data):
    """Literals, and a match where the last 3 bytes that were alike are followed by more that is alike."""
    made, seen, at = [], {}, 0
    while at < len(data):
        start = seen.get(data[at:at + 3])
        length = 0
        if start is not None:
            while length < 258 and data[at + length:at + length + 1] == data[start + length:start + length + 1] != b"":
                length += 1
        step = length if length >= 3 else 1
        made.append((length, at - start) if length >= 3 else data[at])
        for place in range(at, at + step):
            seen[data[place:place + 3]] = place
        at += step
    return made


class Deflate:
    """A stream of RFC 1951: bits from the lowest of each byte up, codes from their highest bit on."""

    def __init__(self):
        self.bits = []

    def number(self, value, count):
        self.bits += [value >> i & 1 for i in range(count)]
        return self

    def code(self, pair):
        self.bits += [pair[0] >> i & 1 for i in range(pair[1] - 1, -1, -1)]

    def head(self, kind, is_last):
        self.number(1 if is_last else 0, 1).number(kind, 2)

    def stored(self, data, is_last=False, complement=None):
        self.head(0, is_last)
        self.bits += [0] * (-len(self.bits) % 8)
        self.number(len(data), 16)
        self.number(len(data) ^ 0xFFFF if complement is None else complement, 16)
        for byte in data:
            self.number(byte, 8)
        return self

    def fixed(self, items, is_last=False):
        self.head(1, is_last)
        return self.body(items, codes(FIXED_LENGTHS), codes(FIXED_DISTANCES))

    def dynamic(self, items, is_last=False, lengths=None):
        """`lengths` are the bit counts of the literals and lengths; else all have about the same."""
        used = [entry for item in list(items) + [END] for entry in symbols(item)]
        lengths = lengths or even_lengths({symbol for is_distance, symbol, _, _ in used if not is_distance})
        distances = even_lengths({symbol for is_distance, symbol, _, _ in used if is_distance} or {0})
        self.head(2, is_last)
        first, second = max(max(lengths), END) + 1, max(distances) + 1
        self.number(first - 257, 5).number(second - 1, 5).number(len(ORDER) - 4, 4)
        counts = [lengths.get(symbol, 0) for symbol in range(first)]
        counts += [distances.get(symbol, 0) for symbol in range(second)]
        self.lengths(counts)
        return self.body(items, codes(lengths), codes(distances))

    def lengths(self, counts):
        """RFC 1951, 3.2.7: runs of 3 and more as 16, 17 and 18."""
        meta = codes(even_lengths(ORDER))
        for symbol in ORDER:
            self.number(meta[symbol][1], 3)
        at = 0
        while at < len(counts):
            run = 1
            while at + run < len(counts) and counts[at + run] == counts[at]:
                run += 1
            if counts[at] == 0 and run >= 11:
                run = min(run, 138)
                self.code(meta[18])
                self.number(run - 11, 7)
            elif counts[at] == 0 and run >= 3:
                self.code(meta[17])
                self.number(run - 3, 3)
            elif run >= 4:
                run = min(run, 7)
                self.code(meta[counts[at]])
                self.code(meta[16])
                self.number(run - 1 - 3, 2)
            else:
                run = 1
                self.code(meta[counts[at]])
            at += run

    def body(self, items, literals, distances):
        for item in list(items) + ([END] if END in literals else []):
            for is_distance, symbol, more, count in symbols(item):
                self.code((distances if is_distance else literals)[symbol])
                self.number(more, count)
        return self

    def data(self):
        padded = self.bits + [0] * (-len(self.bits) % 8)
        return bytes(sum(bit << i for i, bit in enumerate(padded[at:at + 8])) for at in range(0, len(padded), 8))


def adler32(data):
    """RFC 1950, section 8."""
    one, two = 1, 0
    for byte in data:
        one = (one + byte) % 65521
        two = (two + one) % 65521
    return two << 16 | one


def zlib_head(method=8, window_bits=15, level=2, preset=0):
    """RFC 1950, section 2.2: CMF and FLG."""
    first, second = method | (window_bits - 8) << 4, level << 6 | preset << 5
    return bytes([first, second + -(first * 256 + second) % 31])


def zlib_stream(deflated, data, head=None):
    """`data` is what `deflated` becomes."""
    return (head or zlib_head()) + deflated.data() + struct.pack(">I", adler32(data))


# --- RFC 8878 ---

MAGIC = struct.pack("<I", 0xFD2FB528)
RAW, RLE, COMPRESSED, RESERVED = 0, 1, 2, 3

# 3.1.1.3.2.1.1: from which value on a code is used, and how many bits follow it.
LITERAL_LENGTHS = ([(value, 0) for value in range(16)]
                   + [(16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6)]
                   + [(1 << bits, bits) for bits in range(7, 17)])
MATCH_LENGTHS = ([(value + 3, 0) for value in range(32)]
                 + [(35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5)]
                 + [((1 << bits) + 3, bits) for bits in range(7, 17)])
# Appendix A: the symbols of the states of the predefined tables, from state 0 on.
LITERAL_LENGTH_STATES = [
    0, 0, 1, 3, 4, 6, 7, 9, 10, 12, 14, 16, 18, 19, 21, 22, 24, 25, 26, 27, 29, 31, 0, 1, 2, 4, 5, 7, 8, 10, 11, 13,
    16, 17, 19, 20, 22, 23, 25, 25, 26, 28, 30, 0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 15, 17, 18, 20, 21, 23, 24,
    35, 34, 33, 32]
MATCH_LENGTH_STATES = [
    0, 1, 2, 3, 5, 6, 8, 10, 13, 16, 19, 22, 25, 28, 31, 33, 35, 37, 39, 41, 43, 45, 1, 2, 3, 4, 6, 7, 9, 12, 15, 18,
    21, 24, 27, 30, 32, 34, 36, 38, 40, 42, 44, 1, 1, 2, 4, 5, 7, 8, 11, 14, 17, 20, 23, 26, 29,
    52, 51, 50, 49, 48, 47, 46]
OFFSET_STATES = [
    0, 6, 9, 15, 21, 3, 7, 12, 18, 23, 5, 8, 14, 20, 2, 7, 11, 17, 22, 4, 8, 13, 19, 1, 6, 10, 16, 28, 27, 26, 25, 24]


def frame(blocks, byte_count=None, size_bytes=None, window=None, dictionary_id=b"", checked=None, flags=0):
    """3.1.1: a single segment, or a frame with a `window` descriptor and then perhaps no size.

    `checked` is the content, for a frame with its checksum; `flags` are more bits of the descriptor.
    """
    if byte_count is None:
        size_bytes = 0
    elif size_bytes is None:
        size_bytes = 1 if byte_count < 256 and window is None else 2 if 256 <= byte_count < 65792 else 4
    descriptor = {0: 0, 1: 0, 2: 1, 4: 2, 8: 3}[size_bytes] << 6 | (0x20 if window is None else 0) | flags
    descriptor |= (4 if checked is not None else 0) | {0: 0, 1: 1, 2: 2, 4: 3}[len(dictionary_id)]
    head = MAGIC + bytes([descriptor]) + (b"" if window is None else bytes([window])) + dictionary_id
    if size_bytes:
        head += (byte_count - (256 if size_bytes == 2 else 0)).to_bytes(size_bytes, "little")
    end = b"" if checked is None else struct.pack("<I", xxh64(checked) & 0xFFFFFFFF)
    return head + b"".join(blocks) + end


def block(kind, content, is_last=False, size=None):
    """3.1.1.2: `size` is another one than that of the content, as it is for RLE."""
    size = len(content) if size is None else size
    return struct.pack("<I", size << 3 | kind << 1 | (1 if is_last else 0))[:3] + content


def literals_section(data, size_format=None):
    """3.1.1.3.1: raw, or RLE where it is more than one byte, and all the same."""
    kind = 1 if len(data) > 1 and len(set(data)) == 1 else 0
    if size_format is None:
        size_format = 0 if len(data) < 32 else 1 if len(data) < 4096 else 3
    shift, size = {0: (3, 1), 1: (4, 2), 3: (4, 3)}[size_format]
    head = (kind | size_format << 2 | len(data) << shift).to_bytes(size, "little")
    return head + (data[:1] if kind else data)


def code_of(table, value):
    """The last code whose base is not above the value, what is left of the value, and how many bits that has."""
    code = max(i for i, (base, _) in enumerate(table) if base <= value)
    return code, value - table[code][0], table[code][1]


class States:
    """4.1, from the side of who writes: the states of one kind of symbol, from the last symbol to the first."""

    def __init__(self, table):
        self.table = table
        self.log = (len(table) - 1).bit_length()
        self.state = None

    def put(self, symbol):
        """Goes to a state of `symbol`; gives the bits by which the reader comes from there to the present state."""
        cells = [state for state, other in enumerate(self.table) if other == symbol]
        if self.state is None:
            self.state = cells[0]
            return None
        there, count = self.state + len(self.table), 0
        while there >> count >= 2 * len(cells):
            count += 1
        self.state = cells[(there >> count) - len(cells)]
        return there & (1 << count) - 1, count


def sequences_section(sequences, modes=(0, 0, 0)):
    """3.1.1.3.2: `sequences` are (literal length, offset value, match length); `modes` of literal lengths, offsets and
    match lengths are 0 (predefined), 1 (RLE: one code for all) or 3 (those of the last block, which had 0)."""
    count = len(sequences)
    head = bytes([count]) if count < 128 else bytes([(count >> 8) + 128, count & 255])
    if not sequences:
        return head
    rows = []
    for literal_length, offset_value, match_length in sequences:
        bits = offset_value.bit_length() - 1
        rows.append((code_of(LITERAL_LENGTHS, literal_length), (bits, offset_value - (1 << bits), bits),
                     code_of(MATCH_LENGTHS, match_length)))
    head += bytes([modes[0] << 6 | modes[1] << 4 | modes[2] << 2])
    tables = []
    for kind, table in enumerate((LITERAL_LENGTH_STATES, OFFSET_STATES, MATCH_LENGTH_STATES)):
        if modes[kind] == 1:
            head += bytes([rows[0][kind][0]])
            table = [rows[0][kind][0]]
        tables.append(States(table))
    # What the reader reads, in its order. The states are found from the last sequence to the first.
    reads = []
    for row in reversed(rows):
        steps = [tables[kind].put(row[kind][0]) for kind in (0, 1, 2)]
        extra = [row[1][1:], row[2][1:], row[0][1:]]
        reads = extra + ([steps[0], steps[2], steps[1]] if reads else []) + reads
    reads = [(table.state, table.log) for table in tables] + reads
    stream = 1
    for value, bits in reads:
        stream = stream << bits | value
    return head + stream.to_bytes((stream.bit_length() + 7) // 8, "little")


class Patch:
    """Says what an image is made of, and notes it as literals and sequences."""

    def __init__(self, base):
        self.base = base
        self.image = b""
        self.literals, self.sequences, self.pending = b"", [], 0

    def other(self, data):
        """Of another block."""
        self.image += data
        return self

    def new(self, data):
        self.image += data
        self.literals += data
        self.pending += len(data)
        return self

    def copy(self, start, byte_count):
        """Bytes of the base."""
        return self.match(len(self.base) + len(self.image) - start, byte_count)

    def match(self, offset, byte_count, value=None):
        """Bytes from `offset` before, which `value` says otherwise where it is a repeated offset."""
        past = bytearray(self.base + self.image)
        if 1 <= offset <= len(past):
            for _ in range(byte_count):
                past.append(past[-offset])
            self.image = bytes(past[len(self.base):])
        self.sequences.append((self.pending, offset + 3 if value is None else value, byte_count))
        self.pending = 0
        return self

    def content(self, size_format=None, **changes):
        """The content of a compressed block with all since the last one."""
        made = literals_section(self.literals, size_format) + sequences_section(self.sequences, **changes)
        self.literals, self.sequences, self.pending = b"", [], 0
        return made

    def block(self, is_last=False, **changes):
        return block(COMPRESSED, self.content(**changes), is_last)


def xxh64(data):
    """XXH64 with a seed of 0, as RFC 8878 asks for in 3.1.1."""
    one, two, three, four, five = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                                   0x27D4EB2F165667C5)
    mask = (1 << 64) - 1

    def rotate(value, bits):
        return (value << bits | value >> 64 - bits) & mask

    def turn(lane, value):
        return rotate((lane + value * two) & mask, 31) * one & mask

    at = 0
    if len(data) >= 32:
        lanes = [one + two & mask, two, 0, -one & mask]
        while at + 32 <= len(data):
            lanes = [turn(lane, value) for lane, value in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        made = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & mask
        for lane in lanes:
            made = ((made ^ turn(0, lane)) * one + four) & mask
    else:
        made = five
    made = made + len(data) & mask
    while at + 8 <= len(data):
        made = (rotate(made ^ turn(0, struct.unpack_from("<Q", data, at)[0]), 27) * one + four) & mask
        at += 8
    if at + 4 <= len(data):
        made = (rotate(made ^ struct.unpack_from("<I", data, at)[0] * one & mask, 23) * two + three) & mask
        at += 4
    for byte in data[at:]:
        made = rotate(made ^ byte * five & mask, 11) * one & mask
    made = (made ^ made >> 33) * two & mask
    made = (made ^ made >> 29) * three & mask
    return made ^ made >> 32
