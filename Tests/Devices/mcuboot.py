"""Images in MCUboot's format, as much of it as an updater meets.

The facts are from MCUboot's page "Bootloader" (docs.mcuboot.com/design.html, "Image format"):
a header of 32 bytes, the payload, and areas of TLVs, of which the protected one is covered by the
hash. All numbers are little endian.
"""
import collections, hashlib, struct

MAGIC, TLV_MAGIC, PROTECTED_TLV_MAGIC = 0x96F3B83D, 0x6907, 0x6908
HEADER = struct.Struct("<IIHHIIBBHII")
TLV_SHA256, NOT_BOOTABLE = 0x10, 0x10

Image = collections.namedtuple("Image", "version text hash is_bootable byte_count")


class NoImage(ValueError):
    """There is no valid image at the beginning of the bytes."""


def text(version):
    """As Zephyr prints a version: the build number only if it isn't 0."""
    major, minor, revision, build = version
    return f"{major}.{minor}.{revision}" + (f".{build}" if build else "")


def parsed(data):
    """The image at the beginning of `data`, or NoImage. Checks the hash in its TLVs."""
    if len(data) < HEADER.size:
        raise NoImage("shorter than a header")
    (magic, _, header_size, protected_size, payload_size, flags, major, minor, revision, build,
     _) = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise NoImage("the magic number is another")
    end = header_size + payload_size
    if protected_size:
        if data[end:end + 4] != struct.pack("<HH", PROTECTED_TLV_MAGIC, protected_size):
            raise NoImage("the protected TLVs aren't where the header says")
        end += protected_size
    if len(data) < end + 4:
        raise NoImage("no TLVs")
    magic, size = struct.unpack_from("<HH", data, end)
    if magic != TLV_MAGIC or size < 4 or len(data) < end + size:
        raise NoImage("no TLVs")
    digest, at = None, end + 4
    while at + 4 <= end + size:
        kind, length = struct.unpack_from("<HH", data, at)
        if kind == TLV_SHA256:
            digest = bytes(data[at + 4:at + 4 + length])
        at += 4 + length
    if digest != hashlib.sha256(data[:end]).digest():
        raise NoImage("the hash is another")
    version = (major, minor, revision, build)
    return Image(version, text(version), digest, not flags & NOT_BOOTABLE, end + size)


def made(payload, version=(1, 0, 0, 0), header_size=512, protected=b"", flags=0):
    """An image without a signature. `protected` is the content of protected TLVs."""
    if protected:
        protected = struct.pack("<HH", PROTECTED_TLV_MAGIC, 4 + len(protected)) + protected
    header = HEADER.pack(MAGIC, 0, header_size, len(protected), len(payload), flags, *version, 0)
    hashed = header.ljust(header_size, b"\0") + payload + protected
    tlv = struct.pack("<HH", TLV_SHA256, 32) + hashlib.sha256(hashed).digest()
    return hashed + struct.pack("<HH", TLV_MAGIC, 4 + len(tlv)) + tlv
