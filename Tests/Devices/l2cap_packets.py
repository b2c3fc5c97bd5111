"""The packets on a channel of L2CAP, by section 10.4 of spec/bleota.md."""
import struct

VERSION = 1
CONTROL_FRAME, DATA_FRAME, BARRIER, ANSWER, CLOSING = 0x02, 0x04, 0x07, 0x08, 0x09
FRAMES = (CONTROL_FRAME, DATA_FRAME)
HEADER_BYTES = 3


def offer(psm, security=0):
    return struct.pack("<BHB", VERSION, psm, security)


def psm_of(value):
    """None if the value is not one that this end can use."""
    if len(value) < 4:
        return None
    version, psm, security = struct.unpack("<BHB", value[:4])
    return psm if version == VERSION and 0x80 <= psm <= 0xFF and security == 0 else None


def packet(kind, payload=b""):
    return struct.pack("<HB", 1 + len(payload), kind) + payload


class Stream:
    """A channel as a stream of bytes, which is what some stacks make of it."""

    def __init__(self, channel, take, end):
        self.channel, self.take, self.end, self.rest = channel, take, end, b""
        channel.sink = self.read
        channel.on("close", lambda: end("channel"))

    @property
    def byte_count_max(self):
        return min(self.channel.mtu - HEADER_BYTES, self.channel.peer_mtu - HEADER_BYTES, 512)

    def read(self, sdu):
        self.rest += bytes(sdu)
        while len(self.rest) >= 2:
            length, = struct.unpack("<H", self.rest[:2])
            if len(self.rest) < 2 + length:
                return
            kind, payload = self.rest[2], self.rest[3:2 + length]
            self.rest = self.rest[2 + length:]
            if kind in FRAMES:
                self.take(FRAMES.index(kind), payload)
            elif kind == BARRIER:
                self.channel.write(packet(ANSWER))
            elif kind == CLOSING:
                self.end("closing")

    async def send(self, channel, frame):
        self.channel.write(packet(FRAMES[channel], frame))
        await self.channel.drain()
