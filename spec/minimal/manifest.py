"""Section 4.2 of the protocol, without attributes that must be understood and without signatures."""
import hashlib, struct

TOO_LARGE, MALFORMED_MANIFEST, UNKNOWN_ATTRIBUTE = 0x0304, 0x0104, 0x0105
IMAGE_BYTE_COUNT_MAX = 16 << 20


def manifest_of(image, k=12):
    """The manifest of an image in blocks of 2^k bytes."""
    blocks = [image[at:at + (1 << k)] for at in range(0, len(image), 1 << k)]
    head = b"BLM1" + struct.pack("<BBHIHH", 1, k, 0, len(image), 0, 0)
    hashes = b"".join(hashlib.sha256(block).digest()[:16] for block in blocks)
    return head + hashlib.sha256(image).digest() + hashes + b"\0\0"


class Refused(Exception):
    pass


class Manifest:
    """What a receiver has to know of one; Refused, with the reason and its detail, if it can't take it."""

    def __init__(self, data):
        if len(data) < 66:
            raise Refused(MALFORMED_MANIFEST, 0)
        magic, version, k, zero, self.byte_count, t, zero2 = struct.unpack("<4sBBHIHH", data[:16])
        if (magic, version, zero, zero2) != (b"BLM1", 1, 0, 0) or not 8 <= k <= 16 or not self.byte_count:
            raise Refused(MALFORMED_MANIFEST, 0)
        self.block = 1 << k
        count = -(-self.byte_count // self.block)
        hashes_at = 48 + t
        end = hashes_at + 16 * count
        if t > 4096 or len(data) < end + 2 or len(data) != end + 2 + struct.unpack("<H", data[end:end + 2])[0]:
            raise Refused(MALFORMED_MANIFEST, 0)
        at, last = 48, -1
        while at < hashes_at:
            if at + 2 > hashes_at or at + 2 + data[at + 1] > hashes_at or data[at] <= last:
                raise Refused(MALFORMED_MANIFEST, 0)
            if data[at] & 0x80:
                raise Refused(UNKNOWN_ATTRIBUTE, data[at])
            last, at = data[at], at + 2 + data[at + 1]
        if self.byte_count > IMAGE_BYTE_COUNT_MAX:
            raise Refused(TOO_LARGE, IMAGE_BYTE_COUNT_MAX)
        self.sha256 = data[16:48]
        self.hashes = [data[hashes_at + 16 * i:hashes_at + 16 * i + 16] for i in range(count)]
