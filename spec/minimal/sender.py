#!/usr/bin/env python3
"""A minimal sender of the bleota protocol: what section 13 says that one needs, and no more.

    sender.py unix:PATH|serial:PATH IMAGE              sends it
    sender.py --answer NAME unix:PATH|serial:PATH IMAGE   waits to be asked for NAME, and sends it

It sends one burst of chunks at a time. The last chunk of a burst asks for an account, and the sender
repeats every chunk that this account does not show. It measures no round trips.
"""
import argparse, hashlib, itertools, os, struct, sys, time

from link import CONTROL, DATA, crc, opened
from manifest import manifest_of

BURST = 32
VERIFIED, MALFORMED_ACCOUNT, NO_SESSION, SILENT, STALLED = 0, 0x0102, 0x0103, 0x0201, 0x0202
IMAGE_MISMATCH, NO_SUCH_OBJECT = 0x0403, 0x0601


class Ended(Exception):
    pass


def chunk_byte_count(link):
    """Section 6.3."""
    carried = link.byteCountMax
    bound = carried if carried < 244 else 244 if carried < 488 else min(carried, 495)
    return (bound - 4) // 4 * 4


class Sender:
    def __init__(self, link, image):
        self.link, self.image = link, image
        self.manifest = manifest_of(image)
        self.objects = (self.manifest, image)
        self.chunk = chunk_byte_count(link)
        self.session = int.from_bytes(os.urandom(2), "little")
        self.news = self.heard = time.monotonic()
        self.progress_limit = 60

    # Control frames

    def say(self, opcode, fields):
        frame = bytes([0x10 | opcode]) + fields
        self.link.send(CONTROL, frame + crc(struct.pack("<H", self.session) + frame))

    def say_open(self):
        tag = hashlib.sha256(self.manifest).digest()[:8]
        self.say(1, struct.pack("<HBI", self.session, self.chunk // 4, len(self.manifest)) + tag)

    def say_poll(self):
        self.say(2, struct.pack("<HBB", self.session, self.object or 0, self.epoch or 0))

    def close(self, reason):
        self.say(3, struct.pack("<HH", self.session, reason))
        raise Ended(reason)

    def hear(self, seconds):
        """Takes one frame; returns its opcode, or None where nothing valid came in time."""
        now = time.monotonic()
        if now - self.heard > 10:
            self.close(SILENT)
        if now - self.news > self.progress_limit:
            self.close(STALLED)
        channel, frame = self.link.receive(seconds) or (None, b"")
        pseudo = struct.pack("<H", self.session)
        if channel != CONTROL or len(frame) < 5 or crc(pseudo + frame[:-2]) != frame[-2:]:
            return None
        opcode, body = frame[0] & 15, frame[1:-2]
        if frame[0] >> 4 != 1 and (opcode, body[:2]) != (11, b"\1\1"):
            return None
        self.heard = time.monotonic()
        if opcode == 9 and 12 <= len(body) <= 76:
            return self.take_account(body)
        if opcode == 10 and len(body) == 5:
            self.progress_limit = 600
            return 10
        if opcode == 11 and len(body) == 10:
            return self.take_result(*struct.unpack("<HQ", body))
        return None

    def take_result(self, reason, detail):
        if reason == NO_SESSION:
            return 0 if self.epoch is None else 11
        receipt = int.from_bytes(hashlib.sha256(self.image).digest()[:8], "little")
        if reason == VERIFIED and detail != receipt:
            self.close(IMAGE_MISMATCH)
        self.say(3, struct.pack("<HH", self.session, VERIFIED))
        raise Ended(reason)

    # The account

    def take_account(self, body):
        flags, object, epoch, cumulative, credit, durable, _ = struct.unpack("<BBBHHIB", body[:12])
        bitmap = body[12:]
        if flags > 1 or object > 1 or 16383 < credit < 65535 or bitmap[-1:] == b"\0":
            return None
        is_newer = self.epoch is None or 0 < (epoch - self.epoch) % 256 < 128
        if not is_newer and (epoch, object) != (self.epoch, self.object):
            self.is_contradicted = True
            return None
        durable_chunk = durable // self.chunk
        cumulative = durable_chunk + (cumulative - durable_chunk) % 65536
        shown = {cumulative + 1 + i for i in range(8 * len(bitmap)) if bitmap[i // 8] >> i % 8 & 1}
        byte_count = len(self.objects[object])
        chunk_count = -(-byte_count // self.chunk)
        if cumulative > chunk_count or max(shown, default=-1) >= chunk_count or durable > byte_count:
            self.close(MALFORMED_ACCOUNT)
        if is_newer:
            self.object, self.epoch, self.chunk_count = object, epoch, chunk_count
            self.cumulative, self.arrived, self.edge = 0, set(), 0
        if cumulative > self.cumulative or shown - self.arrived:
            self.news, self.progress_limit = time.monotonic(), 60
        self.cumulative = max(self.cumulative, cumulative)
        self.arrived |= shown
        self.is_paced = credit < 65535
        self.edge = max(self.edge, min(cumulative + min(credit, 16383), chunk_count))
        return 9 if flags else 0

    # One session after another

    def send(self):
        while True:
            self.object = self.epoch = None
            self.open()
            while self.burst() != 11:
                pass
            self.session = (self.session + 1) % 65536

    def open(self):
        self.repeat(self.say_open, 0.12, 2, lambda opcode: self.epoch is not None)

    def burst(self):
        """Sends what is missing, and hears what became of it; 11 where the session is unknown."""
        missing = (i for i in range(self.cumulative, self.edge) if i not in self.arrived)
        size = BURST if self.is_paced else 12
        chunks = [index for index, _ in zip(missing, range(size))]
        for index in chunks:
            self.say_chunk(index, is_poll=index == chunks[-1])
        if not self.is_paced:
            time.sleep(0.1)
        # Without chunks: no credit, or all is acknowledged and the receiver works.
        epoch = self.epoch
        return self.repeat(self.say_poll if not chunks else None, 1, 5, lambda opcode: opcode in (9, 11)
                           or self.epoch != epoch, after=self.say_poll)

    def say_chunk(self, index, is_poll):
        payload = self.objects[self.object][index * self.chunk:(index + 1) * self.chunk]
        frame = struct.pack("<H", index % 32768 | is_poll << 15) + payload
        pseudo = struct.pack("<HBBI", self.session, self.object, self.epoch, index)
        self.link.send(DATA, frame + crc(pseudo + frame))

    def repeat(self, first, pause, most, is_answer, after=None):
        """Says something again and again, with pauses that double, until it is answered; 11 where a
        burst is answered with accounts of older epochs alone [ACK-13]."""
        if first:
            first()
        for pauses in itertools.count(1):
            end = time.monotonic() + pause
            while (left := end - time.monotonic()) > 0:
                opcode = self.hear(left)
                if opcode is not None and is_answer(opcode):
                    return opcode
            if pauses == 1:
                self.is_contradicted = False
            elif pauses >= 3 and self.is_contradicted and not first:
                return 11
            (after or first)()
            pause = min(pause * 2, most)


def requested(link, name):
    """Waits for REQUEST of this name, and returns its session."""
    tag = hashlib.sha256(name.encode()).digest()[:8]
    while True:
        channel, frame = link.receive(60) or (None, b"")
        if channel != CONTROL or len(frame) != 13 or frame[0] != 0x18:
            continue
        session = frame[1:3]
        if crc(session + frame[:-2]) != frame[-2:]:
            continue
        if frame[3:11] == tag:
            return struct.unpack("<H", session)[0]
        close = b"\x13" + session + struct.pack("<H", NO_SUCH_OBJECT)
        link.send(CONTROL, close + crc(session + close))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("image", type=argparse.FileType("rb"))
    parser.add_argument("--answer", metavar="NAME")
    parser.add_argument("--loss", type=float, default=0, help="percent of the frames, for tests")
    options = parser.parse_args()
    image = options.image.read()
    if not image:
        parser.error("an image has a byte or more")
    link = opened(options.address, listens=options.answer is not None, loss=options.loss)
    sender = Sender(link, image)
    if options.answer:
        sender.session = requested(link, options.answer)
    try:
        sender.send()
    except OSError as error:
        sys.exit(f"The link is lost: {error}.")
    except Ended as ending:
        reason = ending.args[0]
        print(f"ended, reason 0x{reason:04X}")
        sys.exit(reason != VERIFIED)


if __name__ == "__main__":
    main()
