#!/usr/bin/env python3
"""A minimal receiver of the bleota protocol: what section 13 says that one needs, and no more.

    receiver.py unix:PATH|serial:PATH FOLDER                 takes one image
    receiver.py --request NAME unix:PATH|serial:PATH FOLDER  asks for it first

FOLDER/current is the image that was verified last. FOLDER/manifest and FOLDER/part are what is
there of the next one; each block of it is durable once it is written, and another run goes on.
It knows no attribute that must be understood and no signature, so that it takes unsigned images
for anybody.
"""
import argparse, hashlib, os, struct, sys, time

from link import CONTROL, crc, opened
from manifest import Manifest, Refused

VERIFIED, NO_SESSION, TOO_LARGE = 0, 0x0103, 0x0304
MANIFEST_MISMATCH, BLOCK_MISMATCH, IMAGE_MISMATCH = 0x0401, 0x0402, 0x0403


def written(path, data, at=0):
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    os.pwrite(file, data, at)
    os.fsync(file)
    os.close(file)


class Receiver:
    def __init__(self, link, folder):
        self.link, self.folder = link, folder
        self.session = self.previous = self.result = self.object = None
        self.epoch, self.due, self.is_requesting = os.urandom(1)[0], None, False

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        try:
            with open(self.path(name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""

    # What is received

    def begin(self, object):
        """Section 5.1: a new account, in a new epoch."""
        self.object = object
        self.byte_count = self.manifest.byte_count if object else self.manifest_byte_count
        self.block = self.manifest.block if object else self.manifest_byte_count
        self.chunk_count = -(-self.byte_count // self.chunk)
        self.data = bytearray(self.read("part") if object else b"")[:self.byte_count]
        self.durable = 0
        while object and self.durable < len(self.data) and self.block_is_right(self.durable):
            self.durable = min(self.durable + self.block, self.byte_count)
        self.data = self.data[:self.durable].ljust(self.byte_count, b"\0")
        self.arrived = set(range(self.durable // self.chunk))
        self.new_epoch()
        if self.durable == self.byte_count:
            self.publish()

    def new_epoch(self):
        self.epoch, self.cumulative, self.highest = (self.epoch + 1) % 256, 0, 0
        self.advance()
        self.account(False)

    def block_is_right(self, at):
        block = self.data[at:min(at + self.block, self.byte_count)]
        return hashlib.sha256(block).digest()[:16] == self.manifest.hashes[at // self.block]

    def advance(self):
        while self.cumulative in self.arrived:
            self.cumulative += 1

    def take_data(self, frame):
        if len(frame) < 5:
            return
        word = struct.unpack("<H", frame[:2])[0]
        if word < 32768 and crc(struct.pack("<HBBI", 0, 255, 0, word) + frame[:-2]) == frame[-2:]:
            return self.say(12, struct.pack("<HH", word, len(frame)), 0)
        if self.object is None:
            return
        index = self.cumulative + (word - self.cumulative + 16384) % 32768 - 16384
        pseudo = struct.pack("<HBBI", self.session, self.object, self.epoch, index & 0xFFFFFFFF)
        if index < 0 or crc(pseudo + frame[:-2]) != frame[-2:]:
            return
        at = index * self.chunk
        if index >= self.chunk_count or len(frame) - 4 != min(self.chunk, self.byte_count - at):
            return
        is_gap = index > max(self.highest, self.cumulative)
        self.highest = max(self.highest, index + 1)
        if index not in self.arrived:
            self.data[at:at + self.chunk] = frame[2:-2]
            self.arrived.add(index)
            self.advance()
        if self.cumulative == self.chunk_count and not self.object:
            return self.judge(bytes(self.data))
        if self.object and not self.store():
            return
        if word >> 15 or is_gap or self.cumulative == self.chunk_count:
            self.account(bool(word >> 15))
        else:
            self.due = self.due or time.monotonic() + 0.2
        if self.durable == self.byte_count and self.object:
            self.publish()

    def store(self):
        """Checks and writes the blocks that are whole; false where one is rejected."""
        arrived = min(self.cumulative * self.chunk, self.byte_count)
        while self.durable < self.byte_count and min(self.durable + self.block, self.byte_count) <= arrived:
            if not self.block_is_right(self.durable):
                self.rejections += 1
                if self.rejections == 8:
                    self.end(BLOCK_MISMATCH, self.durable // self.block)
                else:
                    self.arrived = set(range(self.durable // self.chunk))
                    self.new_epoch()
                return False
            end = min(self.durable + self.block, self.byte_count)
            written(self.path("part"), self.data[self.durable:end], self.durable)
            self.durable, self.rejections = end, 0
        return True

    def judge(self, data):
        if hashlib.sha256(data).digest()[:8] != self.tag:
            self.failures += 1
            return self.end(MANIFEST_MISMATCH) if self.failures == 3 else self.begin(0)
        try:
            self.manifest = Manifest(data)
        except Refused as refusal:
            return self.end(*refusal.args)
        for name in ("manifest", "part"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        written(self.path("manifest"), data)
        self.begin(1)

    def publish(self):
        digest = hashlib.sha256(self.data).digest()
        if digest != self.manifest.sha256:
            os.remove(self.path("part"))
            return self.end(IMAGE_MISMATCH)
        os.replace(self.path("part"), self.path("current"))
        self.end(VERIFIED, int.from_bytes(digest[:8], "little"))

    # Control frames

    def say(self, opcode, fields, session):
        frame = bytes([0x10 | opcode]) + fields
        pseudo = struct.pack("<H", session)
        self.link.send(CONTROL, frame + crc(pseudo + frame))

    def account(self, answers_poll):
        self.due, bitmap = None, bytearray(min(self.link.byteCountMax - 15, 64))
        for index in self.arrived:
            bit = index - self.cumulative - 1
            if 0 <= bit < 8 * len(bitmap):
                bitmap[bit // 8] |= 1 << bit % 8
        credit = min(self.chunk_count - self.cumulative, 1024)
        fields = struct.pack("<BBBHHIB", answers_poll, self.object, self.epoch, self.cumulative % 65536,
                             credit, self.durable, 0)
        self.say(9, fields + bytes(bitmap).rstrip(b"\0"), self.session)

    def end(self, reason, detail=0):
        self.object, self.due, self.result = None, None, struct.pack("<HQ", reason, detail)
        self.say(11, self.result, self.session)

    def answer(self):
        if self.result:
            self.say(11, self.result, self.session)
        else:
            self.account(True)

    def take_control(self, frame):
        if len(frame) < 5 or frame[0] >> 4 != 1:
            return
        session = struct.unpack("<H", frame[1:3])[0]
        if crc(frame[1:3] + frame[:-2]) != frame[-2:]:
            return
        opcode, body = frame[0] & 15, frame[3:-2]
        if opcode == 1 and len(body) == 13 and 3 <= body[0] <= 127:
            self.open(session, *struct.unpack("<BI", body[:5]), body[5:])
        elif opcode == 2 and len(body) == 2:
            if session == self.session and not self.is_requesting:
                self.answer()
            else:
                self.say(11, struct.pack("<HQ", NO_SESSION, 0), session)
        elif opcode == 3 and len(body) == 2 and session == self.session:
            raise ConnectionError("the session is over")
        elif opcode == 4 and not body:
            self.say(13, bytes(9), session)

    def open(self, session, quarter, byte_count, tag):
        if session == self.session and not self.is_requesting:
            return self.answer()
        if session == self.previous or self.is_requesting and session != self.session:
            return
        if not 66 <= byte_count <= 1 << 20:
            self.session = session
            return self.end(TOO_LARGE, 1 << 20)
        self.previous = None if self.is_requesting else self.session
        self.session, self.tag, self.is_requesting, self.result = session, tag, False, None
        self.chunk, self.manifest_byte_count = quarter * 4, byte_count
        self.failures = self.rejections = 0
        held = self.read("manifest")
        if hashlib.sha256(held).digest()[:8] != tag:
            return self.begin(0)
        self.manifest = Manifest(held)
        current = hashlib.sha256(self.read("current")).digest()
        if current == self.manifest.sha256:
            return self.end(VERIFIED, int.from_bytes(current[:8], "little"))
        self.begin(1)

    def run(self, name=None):
        """Returns whether the image is current."""
        asked = heard = time.monotonic()
        if name:
            self.is_requesting, self.session = True, int.from_bytes(os.urandom(2), "little")
        try:
            while time.monotonic() - heard < 30:
                if self.is_requesting and time.monotonic() >= asked:
                    asked = time.monotonic() + 1
                    tag = hashlib.sha256(name.encode()).digest()[:8]
                    self.say(8, struct.pack("<H", self.session) + tag, self.session)
                arrived = self.link.receive(0.05)
                if arrived:
                    heard = time.monotonic()
                    (self.take_data if arrived[0] else self.take_control)(arrived[1])
                if self.due and time.monotonic() >= self.due:
                    self.account(False)
        except ConnectionError:
            pass  # CLOSE, or the link is lost: another run goes on.
        return self.result is not None and self.result[:2] == b"\0\0"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("folder")
    parser.add_argument("--request", metavar="NAME")
    parser.add_argument("--loss", type=float, default=0, help="percent of the frames, for tests")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    link = opened(options.address, listens=not options.request, loss=options.loss)
    sys.exit(not Receiver(link, options.folder).run(options.request))


if __name__ == "__main__":
    main()
