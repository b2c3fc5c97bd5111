"""The links of the minimal ends: sections 2.4, 10.1 and 10.2 of the protocol, and nothing else.

A link has send(channel, frame), receive(seconds) -> (channel, frame) or None, and byteCountMax.
"""
import os, random, select, socket, struct, termios, time, tty

CONTROL, DATA = 0, 1


def crc(data):
    """CRC-16/IBM-SDLC."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
    return struct.pack("<H", value ^ 0xFFFF)


class Socket:
    """Section 10.2."""

    def __init__(self, path, listens, byteCountMax=512):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if listens:
            self.listener = self.socket
            self.listener.bind(path)
            self.listener.listen()
            self.socket = self.listener.accept()[0]
        else:
            self.socket.connect(path)
        self.socket.send(b"\x01BLEO\x01" + struct.pack("<H", byteCountMax + 3))
        hello = self.socket.recv(1024)
        if len(hello) != 8 or hello[:6] != b"\x01BLEO\x01":
            raise ConnectionError("no hello")
        theirs = struct.unpack("<H", hello[6:])[0]
        self.byteCountMax = min(max(min(theirs, byteCountMax + 3), 23) - 3, 512)

    def send(self, channel, frame):
        self.socket.send((b"\x02", b"\x04")[channel] + frame)

    def receive(self, seconds):
        if not select.select([self.socket], [], [], max(seconds, 0))[0]:
            return None
        packet = self.socket.recv(1024)
        kind = packet[0] if packet else 9
        if kind in (3, 5):
            self.socket.send(b"\x06")
        elif kind == 7:
            self.socket.send(b"\x08")
        elif kind == 9:
            raise ConnectionError("the peer has gone")
        return ((kind - 2) // 2, packet[1:]) if kind in (2, 3, 4, 5) else None


class Serial:
    """Section 10.1, over a terminal device or a stream socket."""

    def __init__(self, path, byteCountMax=244):
        if os.path.exists(path) and os.stat(path).st_mode & 0o170000 == 0o140000:
            self.stream = socket.socket(socket.AF_UNIX)
            self.stream.connect(path)
            self.file = self.stream.fileno()
        else:
            self.file = os.open(path, os.O_RDWR | os.O_NOCTTY)
            tty.setraw(self.file, termios.TCSANOW)
        self.byteCountMax, self.packet, self.isEscaped, self.waiting = byteCountMax, None, False, []

    def send(self, channel, frame):
        packet = bytes([channel]) + frame
        packet = packet.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc")
        rest = b"\xc0" + packet + b"\xc0"
        while rest:
            rest = rest[os.write(self.file, rest):]

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while not self.waiting:
            left = end - time.monotonic()
            if not select.select([self.file], [], [], max(left, 0))[0]:
                return None
            data = os.read(self.file, 4096)
            if not data:
                raise ConnectionError("the line is closed")
            for byte in data:
                self.take(byte)
        return self.waiting.pop(0)

    def take(self, byte):
        """packet: bytes since the last END; None before the first, and after an error."""
        if byte == 0xC0:
            if self.packet and not self.isEscaped and self.packet[0] < 2 and 2 <= len(self.packet) <= 513:
                self.waiting.append((self.packet[0], bytes(self.packet[1:])))
            self.packet, self.isEscaped = bytearray(), False
        elif self.packet is None:
            return
        elif self.isEscaped:
            self.isEscaped = False
            if byte in (0xDC, 0xDD):
                self.packet.append({0xDC: 0xC0, 0xDD: 0xDB}[byte])
            else:
                self.packet = None
        elif byte == 0xDB:
            self.isEscaped = True
        else:
            self.packet.append(byte)
            if len(self.packet) > 513:
                self.packet = None


class Lossy:
    """Loses frames in both directions, for tests."""

    def __init__(self, link, percent, seed=1):
        self.link, self.percent, self.dice = link, percent, random.Random(seed)
        self.byteCountMax = link.byteCountMax

    def send(self, channel, frame):
        if self.dice.random() * 100 >= self.percent:
            self.link.send(channel, frame)

    def receive(self, seconds):
        arrived = self.link.receive(seconds)
        return arrived if self.dice.random() * 100 >= self.percent else None


def opened(address, listens=False, loss=0):
    """unix:PATH or serial:PATH."""
    kind, _, path = address.partition(":")
    if kind not in ("unix", "serial") or not path:
        raise SystemExit(f"An address is unix:PATH or serial:PATH, not {address}.")
    try:
        link = Socket(path, listens) if kind == "unix" else Serial(path)
    except (OSError, termios.error) as error:
        raise SystemExit(f"Can't open {address}: {error}.")
    return Lossy(link, loss) if loss else link
