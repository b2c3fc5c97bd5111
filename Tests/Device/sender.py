"""A sender of its own, upon the reference in spec/vectors: small, and none of the package's code.

It sends what an account shows as missing, in order, at most `window` chunks past what has arrived,
and asks with POLL when it hears nothing. That is slower than a real sender where frames are lost,
and all that a line needs which loses none but when the device starts again.
"""

import pathlib
import random
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "spec" / "vectors"))

from reference import reader, wire  # noqa: E402 - after the line above on purpose

from line import CONTROL, DATA  # noqa: E402

SILENCE = 20  # Seconds without a valid frame after which a session is given up.
QUIET = 0.6    # Seconds after which a sender asks again; a window takes less, also on a slow host.
NO_SESSION = wire.REASONS["noSession"]


# The reference computes a bit at a time; a table of its remainders is enough faster to send
# megabytes.
TABLE = []
for number in range(256):
    for _ in range(8):
        number = number >> 1 ^ (0x8408 if number & 1 else 0)
    TABLE.append(number)


def checksum(covered):
    register = 0xFFFF
    for byte in covered:
        register = register >> 8 ^ TABLE[(register ^ byte) & 0xFF]
    return register ^ 0xFFFF


assert checksum(b"123456789") == wire.checksum(b"123456789") == 0x906E
wire.checksum = checksum


class Ended(Exception):
    """The session is over for another reason than that the image is verified."""

    def __init__(self, reason, detail="0x0"):
        super().__init__("the device ends the session with 0x%04x, detail %s" % (reason, detail))
        self.reason = reason


class Transfer:
    """An image and all that was said about it, in however many sessions."""

    def __init__(self, image, k=12, chunk_size=240, attributes=(), window=8):
        self.image = image
        self.manifest = wire.manifest(image, k, attributes)
        self.tag = wire.tag(self.manifest)
        self.chunk_size = chunk_size
        self.window = window
        self.sessions = 0
        self.acknowledged = set()  # Chunks of the image that the device has ever said to have.
        self.bytes_again = 0       # Of those, bytes that it asked for and got again.
        self.bytes_sent = 0        # Of the image, whatever became of them.
        self.durable = 0           # Of the image, as the device last said; it must never fall.

    def note_durable(self, byte_count):
        if byte_count < self.durable:
            raise AssertionError("%d bytes were durable, and %d are" % (self.durable, byte_count))
        self.durable = byte_count

    def object(self, number):
        return self.manifest if number == wire.MANIFEST else self.image

    def payload(self, number, index):
        start = index * self.chunk_size
        return self.object(number)[start:start + self.chunk_size]

    def chunk_count(self, number):
        return -(-len(self.object(number)) // self.chunk_size)


class Account:
    """What the receiver has of an object in an epoch (section 5.1)."""

    def __init__(self, transfer, ack):
        self.object, self.epoch = ack["object"], ack["epoch"]
        self.chunk_size = transfer.chunk_size
        self.cumulative = 0
        self.chunk_count = transfer.chunk_count(self.object)
        self.arrived, self.sent = set(), set()
        self.edge = 0
        self.note(ack)

    def note(self, ack):
        cumulative = wire.cumulative(
            ack["cumulative"], ack["durableByteCount"], self.chunk_size)
        self.cumulative = max(self.cumulative, cumulative)
        self.edge = max(self.edge, cumulative + ack["credit"])
        bits = int.from_bytes(bytes.fromhex(ack["bitmap"]), "little")
        while bits:
            bit = bits.bit_length() - 1
            self.arrived.add(cumulative + 1 + bit)
            bits ^= 1 << bit

    def has(self, index):
        return index < self.cumulative or index in self.arrived

    def chunks_to_send(self, window):
        end = min(self.edge, self.cumulative + window, self.chunk_count)
        return [index for index in range(self.cumulative, end)
                if index not in self.sent and not self.has(index)]


class Session:
    """One attempt at a transfer over a line."""

    def __init__(self, line, transfer, number=None):
        self.line, self.transfer = line, transfer
        self.number = random.randrange(1 << 16) if number is None else number
        self.account = None
        self.is_asking = False
        transfer.sessions += 1

    def control(self, name, **fields):
        self.line.send(CONTROL, wire.control_frame(dict(fields, frame=name, session=self.number)))

    def open(self):
        self.control("OPEN", chunkSize=self.transfer.chunk_size, transferTag=self.transfer.tag,
                     manifestByteCount=len(self.transfer.manifest))

    def close(self, reason="verified"):
        self.control("CLOSE", reason=wire.REASONS[reason])

    def poll(self):
        account = self.account
        self.control("POLL", object=account.object if account else 0,
                     epoch=account.epoch if account else 0)

    def receive(self, seconds):
        """The next valid control frame, or None. What is damaged is dropped, as any end does it."""
        packet = self.line.receive(seconds)
        if packet is None or packet[0] != CONTROL:
            return None
        try:
            return reader.read_control(packet[1], "receiver", self.number)
        except reader.Refused:
            return None

    def run(self, until=None):
        """Sends until the image is verified: True. False if `until` says so before; it is asked
        with the account after each ACK, and `run` goes on from there."""
        self.ask_again()
        silent_since = time.monotonic()
        while True:
            frame = self.receive(QUIET)
            if frame is None:
                if time.monotonic() - silent_since > SILENCE:
                    raise Ended(wire.REASONS["silent"])
                self.ask_again()
                continue
            silent_since = time.monotonic()
            if frame["frame"] == "RESULT":
                return self.finish(frame)
            if frame["frame"] == "ACK":
                self.adopt(frame)
                if until and until(self.account):
                    return False
                self.send_chunks()

    def finish(self, result):
        if result["reason"] == NO_SESSION and self.account is None:
            return None  # Late, of a session before: section 9.1 has nothing to do for it.
        if result["reason"] != NO_SESSION:
            self.close()
        if result["reason"] != 0:
            raise Ended(result["reason"], result["detail"])
        if result["detail"] != wire.verified_detail(self.transfer.image):
            raise AssertionError("the receipt is not that of the image")
        return True

    def ask_again(self):
        """[OPEN-2], [REPAIR-3]. The line keeps order: what the answer does not show is lost."""
        if self.account is None:
            return self.open()
        self.is_asking = True
        self.poll()

    def adopt(self, ack):
        account = self.account
        if account is None or wire.epoch_order(account.epoch, ack["epoch"]) == "newer":
            self.account = account = Account(self.transfer, ack)
        elif account.epoch == ack["epoch"] and account.object == ack["object"]:
            account.note(ack)
            if self.is_asking and ack["flags"] & 1:
                account.sent, self.is_asking = set(), False
        if account.object == wire.IMAGE and account.epoch == ack["epoch"]:
            self.transfer.acknowledged.update(range(account.cumulative), account.arrived)
            self.transfer.note_durable(ack["durableByteCount"])

    def send_chunks(self):
        account, transfer = self.account, self.transfer
        indices = account.chunks_to_send(transfer.window)
        for index in indices:
            self.send_chunk(index, poll=index == indices[-1])

    def send_chunk(self, index, poll=False):
        account, transfer = self.account, self.transfer
        payload = transfer.payload(account.object, index)
        account.sent.add(index)
        if account.object == wire.IMAGE:
            transfer.bytes_sent += len(payload)
            if index in transfer.acknowledged:
                transfer.bytes_again += len(payload)
        self.line.send(DATA, wire.data_frame(
            self.number, account.object, account.epoch, index, payload, poll))


def push(line, transfer, seconds=60):
    """Sends until the image is verified, in a new session after each start of the device."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Session(line, transfer).run():
                return
        except Ended as end:
            if end.reason != NO_SESSION:
                raise
    raise Ended(wire.REASONS["stalled"])


def barrier(line, seconds=20):
    """Returns when the device has taken all that was sent before: it answers a question."""
    session = Session(line, Transfer(b"\0"))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        session.control("QUERY")
        asked = time.monotonic()
        while time.monotonic() - asked < 2:
            frame = session.receive(0.5)
            if frame and frame["frame"] == "STATUS":
                return frame
    raise Ended(wire.REASONS["silent"])
