"""The reading side of the compressions in section 4.5. It shares no code with packing.py.

RFC 1950 is read by Python's zlib. RFC 8878 is read by the small decoder below, which knows what the vectors have:
blocks that are raw, RLE or compressed; literals that are raw or RLE; tables of sequences that are predefined, RLE or
those of the block before. Huffman codes and tables of their own, which a real compressor writes too, end it with
NotKnown, so nothing passes unread.
"""

import zlib

from .reader import Refused, number

# RFC 8878, 3.1.1.3.2.2: the distributions of the predefined tables, with -1 for "less than 1".
LITERAL_LENGTH_SHARES = [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4
MATCH_LENGTH_SHARES = [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7
OFFSET_SHARES = [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5
# 3.1.1.3.2.1.1: how many bits follow the codes that do not stand for one value.
LITERAL_LENGTH_BITS = [0] * 16 + [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
MATCH_LENGTH_BITS = [0] * 32 + [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]


class NotKnown(ValueError):
    """Something of RFC 8878 that this decoder does not read."""


def inflated(data, limit):
    """One stream of RFC 1950, and never more than one byte past the limit ([ENC-2])."""
    decoder = zlib.decompressobj()
    try:
        made = decoder.decompress(data, limit + 1)
    except zlib.error:
        raise Refused("decoding") from None
    if len(made) > limit:
        raise Refused("length")
    if not decoder.eof or decoder.unused_data:
        raise Refused("decoding")
    return made


class Input:
    """Bytes from the first to the last."""

    def __init__(self, data):
        self.data = data

    def take(self, count):
        if len(self.data) < count:
            raise Refused("decoding")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def number(self, count):
        return number(self.take(count), 0, count)


class BackwardBits:
    """Bits from the last to the first, after the highest one that is set (4.1)."""

    def __init__(self, data):
        if not data or not data[-1]:
            raise Refused("decoding")
        self.left = bin(number(data, 0, len(data)))[3:]

    def take(self, count):
        if len(self.left) < count:
            raise Refused("decoding")
        taken, self.left = self.left[:count], self.left[count:]
        return int(taken or "0", 2)


def decoding_table(shares):
    """4.1.1: [(symbol, bit count, base)] from a distribution."""
    size = sum(abs(share) for share in shares)
    cells = [None] * size
    for place, symbol in enumerate(symbol for symbol, share in enumerate(shares) if share < 0):
        cells[size - 1 - place] = symbol
    position = 0
    for symbol, share in enumerate(shares):
        for _ in range(max(share, 0)):
            cells[position] = symbol
            position = (position + size // 2 + size // 8 + 3) % size
            while cells[position] is not None and None in cells:
                position = (position + size // 2 + size // 8 + 3) % size
    seen, table = [abs(share) for share in shares], []
    for symbol in cells:
        # Neighbouring cells of a symbol share out the whole table in powers of two.
        bits = size.bit_length() - seen[symbol].bit_length()
        table.append((symbol, bits, (seen[symbol] << bits) - size))
        seen[symbol] += 1
    return table


def bases(first, bits):
    """Where each code begins that follows a code that begins at `first`."""
    made = [first]
    for count in bits[:-1]:
        made.append(made[-1] + (1 << count))
    return made


LITERAL_LENGTHS = list(zip(bases(0, LITERAL_LENGTH_BITS), LITERAL_LENGTH_BITS))
MATCH_LENGTHS = list(zip(bases(3, MATCH_LENGTH_BITS), MATCH_LENGTH_BITS))
OFFSETS = [(2 ** code, code) for code in range(32)]


class Decoder:
    """3.1.1: one frame, its base as what came before it."""

    def __init__(self, base, limit):
        if len(base) < 8:
            raise Refused("decoding")
        self.base, self.limit = base, limit
        self.made = bytearray(base)
        self.repeated = [1, 4, 8]
        self.tables = [None, None, None]

    def count(self):
        return len(self.made) - len(self.base)

    def frame(self, data):
        source = Input(data)
        if source.number(4) != 0xFD2FB528:
            raise Refused("decoding")
        flags = source.number(1)
        if flags & 8:
            raise Refused("decoding")
        if not flags & 32 or flags % 4:
            raise Refused("decoding")  # Section 4.5: a single segment, and no dictionary ID.
        size_bytes = (1, 2, 4, 8)[flags // 64]
        stated = self.window = source.number(size_bytes) + (256 if size_bytes == 2 else 0)
        self.largest_block = min(self.window, 131072)
        while not self.block(source):
            pass
        if stated != self.count():
            raise Refused("decoding")
        image = bytes(self.made[len(self.base):])
        if flags & 4 and source.number(4) != hash_64(image) % 2 ** 32:
            raise Refused("decoding")
        if source.data:
            raise Refused("decoding")
        return image

    def block(self, source):
        """3.1.1.2: whether it was the last one."""
        head = source.number(3)
        kind, size, before = head // 2 % 4, head // 8, self.count()
        if kind == 3 or size > self.largest_block:
            raise Refused("decoding")
        if kind == 0:
            self.made += source.take(size)
        elif kind == 1:
            self.made += source.take(1) * size
        else:
            self.compressed(Input(source.take(size)))
        if self.count() - before > self.largest_block:
            raise Refused("decoding")
        if self.count() > self.limit:
            raise Refused("length")
        return head % 2 == 1

    def compressed(self, source):
        """3.1.1.3."""
        literals = Input(self.literals(source))
        count = source.number(1)
        if count == 255:
            count = source.number(2) + 0x7F00
        elif count >= 128:
            count = (count - 128) * 256 + source.number(1)
        if count:
            self.sequences(source, literals, count)
        elif source.data:
            raise Refused("decoding")
        self.made += literals.data

    def literals(self, source):
        """3.1.1.3.1.1: two bits for the type, and one or two for how the size is written."""
        first = source.number(1)
        kind, form = first % 4, first // 4 % 4
        if kind >= 2:
            raise NotKnown("Huffman codes")
        if form in (0, 2):
            size = first // 8
        else:
            size = first // 16 + 16 * source.number(1 if form == 1 else 2)
        if size > self.largest_block:
            raise Refused("decoding")
        return source.take(size) if kind == 0 else source.take(1) * size

    def sequences(self, source, literals, count):
        modes = source.number(1)
        if modes % 4:
            raise Refused("decoding")
        predefined = (LITERAL_LENGTH_SHARES, OFFSET_SHARES, MATCH_LENGTH_SHARES)
        values = (LITERAL_LENGTHS, OFFSETS, MATCH_LENGTHS)
        for kind in range(3):
            mode = modes // (64, 16, 4)[kind] % 4
            if mode == 0:
                self.tables[kind] = decoding_table(predefined[kind])
            elif mode == 1:
                code = source.number(1)
                if code >= len(values[kind]):
                    raise Refused("decoding")
                self.tables[kind] = [(code, 0, 0)]
            elif mode == 2:
                raise NotKnown("a table of its own")
            elif self.tables[kind] is None:
                raise Refused("decoding")
        bits = BackwardBits(source.data)
        states = [bits.take(len(table).bit_length() - 1) for table in self.tables]
        for left in range(count - 1, -1, -1):
            cells = [table[state] for table, state in zip(self.tables, states)]
            found = {}
            for kind in (1, 2, 0):
                base, more = values[kind][cells[kind][0]]
                found[kind] = base + bits.take(more)
            if left:
                for kind in (0, 2, 1):
                    states[kind] = cells[kind][2] + bits.take(cells[kind][1])
            self.made += literals.take(found[0])
            self.copy(self.offset(found[1], found[0]), found[2])
        if bits.left:
            raise Refused("decoding")

    def offset(self, value, literal_length):
        """3.1.1.5: the three offsets used last stay in the order of their use."""
        if value > 3:
            used = value - 3
            self.repeated = [used] + self.repeated[:2]
            return used
        place = value - 1 + (1 if literal_length == 0 else 0)
        if place == 3:
            used = self.repeated[0] - 1
            self.repeated = [used] + self.repeated[:2]
        else:
            used = self.repeated.pop(place)
            self.repeated.insert(0, used)
        return used

    def copy(self, offset, length):
        # Section 5: the base is out of reach once more than a window has been made.
        reach = len(self.made) if self.count() <= self.window else self.window
        if not 1 <= offset <= reach:
            raise Refused("decoding")
        for _ in range(length):
            self.made.append(self.made[-offset])
        if self.count() > self.limit:
            raise Refused("length")


def patched(data, limit, base):
    return Decoder(base, limit).frame(data)


def hash_64(data):
    """XXH64 with a seed of 0, by the text of its specification: numbers modulo 2^64, one step after the other."""
    modulus = 2 ** 64
    prime = [None, 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579,
             2870177450012600261]

    def rotated(value, bits):
        whole, rest = divmod(value % modulus * 2 ** bits, modulus)
        return whole + rest

    def round_of(accumulator, lane):
        return rotated(accumulator + lane * prime[2], 31) * prime[1]

    source = Input(data)
    if len(data) < 32:
        result = prime[5]
    else:
        accumulators = [prime[1] + prime[2], prime[2], 0, -prime[1]]
        while len(source.data) >= 32:
            accumulators = [round_of(value, source.number(8)) % modulus for value in accumulators]
        result = sum(rotated(value, bits) for value, bits in zip(accumulators, (1, 7, 12, 18)))
        for value in accumulators:
            result = (result % modulus ^ round_of(0, value) % modulus) * prime[1] + prime[4]
    result = (result + len(data)) % modulus
    while len(source.data) >= 8:
        result = (rotated(result ^ round_of(0, source.number(8)) % modulus, 27) * prime[1] + prime[4]) % modulus
    if len(source.data) >= 4:
        result = (rotated(result ^ source.number(4) * prime[1] % modulus, 23) * prime[2] + prime[3]) % modulus
    while source.data:
        result = rotated(result ^ source.number(1) * prime[5] % modulus, 11) * prime[1] % modulus
    for bits, factor in ((33, prime[2]), (29, prime[3]), (32, 1)):
        result = (result ^ result // 2 ** bits) * factor % modulus
    return result
