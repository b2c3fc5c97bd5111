"""The init packet of Nordic's Secure DFU: Protocol Buffers, as much of them as it takes.

The facts are from Protocol Buffers' page "Encoding" and from the schema dfu-cc.proto, as PyPI's
nrfutil 5.2.0 describes it in dfu_cc_pb2:

    Packet:        1 command: Command, 2 signed_command: SignedCommand
    SignedCommand: 1 command: Command, 2 signature_type (0: ECDSA P-256 with SHA-256), 3 signature
    Command:       1 op_code (1: init), 2 init: InitCommand
    InitCommand:   1 fw_version, 2 hw_version, 3 sd_req (repeated, packed or not), 4 type,
                   5 sd_size, 6 bl_size, 7 app_size, 8 hash: Hash, 9 is_debug, 10 boot_validation
    Hash:          1 hash_type (3: SHA-256), 2 hash, with its last byte first
    BootValidation: 1 type (1: a CRC that the bootloader makes), 2 bytes

The signature covers the bytes of InitCommand. Both of its numbers have their last byte first.
"""
import hashlib

APPLICATION, SOFTDEVICE, BOOTLOADER, SOFTDEVICE_BOOTLOADER = 0, 1, 2, 3
SHA256, ECDSA_P256_SHA256, INIT, GENERATED_CRC = 3, 0, 1, 1
ANY_SOFTDEVICE = 0xFFFE  # Not of the schema: what packages for any SoftDevice say.


class Malformed(ValueError):
    """The bytes are no message."""


def varint(number):
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes(data) + bytes([number])


def field(number, value):
    """A field with a number or with bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def taken_varint(data, at):
    number = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed("a number has no end")
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 128:
            return number, at


def fields(data):
    """A dictionary: the values of each number of a field, in order."""
    found, at = {}, 0
    while at < len(data):
        key, at = taken_varint(data, at)
        if key & 7 == 0:
            value, at = taken_varint(data, at)
        elif key & 7 in (1, 2, 5):
            length, at = taken_varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at:at + length], at + length
            if at > len(data):
                raise Malformed("a field is longer than its message")
        else:
            raise Malformed(f"there is no wire type {key & 7}")
        found.setdefault(key >> 3, []).append(value)
    return found


class InitPacket:
    """What an init packet says. Absent numbers are None."""

    def __init__(self, data):
        packet = fields(bytes(data))
        self.signature = self.signature_type = None
        if 2 in packet and 1 not in packet:
            signed = fields(self.message(packet, 2))
            self.signature = self.message(signed, 3)
            self.signature_type = self.number(signed, 2)
            command = fields(self.message(signed, 1))
        else:
            command = fields(self.message(packet, 1))
        if self.number(command, 1) not in (INIT, None):
            raise Malformed("it isn't a command to initialize")
        self.init_bytes = self.message(command, 2)
        init = fields(self.init_bytes)
        self.firmware_version, self.hardware_version = self.number(init, 1), self.number(init, 2)
        self.softdevices = self.numbers(init.get(3, []))
        self.type = self.number(init, 4)
        self.softdevice_size, self.bootloader_size = self.number(init, 5), self.number(init, 6)
        self.application_size = self.number(init, 7)
        hashed = fields(self.message(init, 8)) if 8 in init else {}
        self.hash_type = self.number(hashed, 1)
        self.hash = self.message(hashed, 2)[::-1] if 2 in hashed else None
        self.is_debug = bool(self.number(init, 9))

    @staticmethod
    def number(found, number):
        value = found.get(number, [None])[-1]
        if value is not None and not isinstance(value, int):
            raise Malformed(f"field {number} isn't a number")
        return value

    @staticmethod
    def message(found, number):
        value = found.get(number, [None])[-1]
        if not isinstance(value, bytes):
            raise Malformed(f"field {number} isn't a message or bytes")
        return value

    @staticmethod
    def numbers(values):
        found = []
        for value in values:
            if isinstance(value, int):
                found.append(value)
                continue
            at = 0
            while at < len(value):
                number, at = taken_varint(value, at)
                found.append(number)
        return found

    def byte_count(self):
        """How much firmware follows, or None if the packet doesn't say."""
        if self.type == APPLICATION:
            return self.application_size or None
        sizes = {SOFTDEVICE: [self.softdevice_size], BOOTLOADER: [self.bootloader_size],
                 SOFTDEVICE_BOOTLOADER: [self.softdevice_size, self.bootloader_size]}
        if self.type not in sizes or not all(sizes[self.type]):
            return None
        return sum(sizes[self.type])


def made(kind, firmware, softdevice_size=0, bootloader_size=0, firmware_version=1,
         hardware_version=52, softdevices=(ANY_SOFTDEVICE,), key=None):
    """The bytes of an init packet; signed with `key`, a SigningKey of PyPI's ecdsa, if given.

    They are those of nrfutil 5.2.0, but for the random number in its signatures.
    """
    hashed = field(1, SHA256) + field(2, hashlib.sha256(firmware).digest()[::-1])
    application_size = len(firmware) if kind == APPLICATION else 0
    init = (field(1, firmware_version) + field(2, hardware_version)
            + field(3, b"".join(map(varint, softdevices))) + field(4, kind)
            + field(5, softdevice_size) + field(6, bootloader_size) + field(7, application_size)
            + field(8, hashed) + field(9, 0)
            + field(10, field(1, GENERATED_CRC) + field(2, b""))
            * (2 if kind == SOFTDEVICE_BOOTLOADER else 1))
    command = field(1, INIT) + field(2, init)
    if key is None:
        return field(1, command)
    signature = key.sign_deterministic(init, hashfunc=hashlib.sha256)
    signature = signature[31::-1] + signature[:31:-1]
    return field(2, field(1, command) + field(2, ECDSA_P256_SHA256) + field(3, signature))


def is_signed_by(packet, key):
    """Whether a VerifyingKey of PyPI's ecdsa accepts the packet's signature."""
    import ecdsa
    signature = packet.signature[31::-1] + packet.signature[:31:-1]
    try:
        return key.verify(signature, packet.init_bytes, hashfunc=hashlib.sha256)
    except (ecdsa.BadSignatureError, AssertionError):
        return False
