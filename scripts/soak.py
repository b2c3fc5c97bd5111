#!/usr/bin/env python3
"""A receiver among peers of every bad kind, for as long as you like.

It starts one `bleota receive` with a Unix socket, and thousands of peers that are idle, silent,
slow, speak garbage, connect and leave, open sessions and only poll, or send frames with a right
checksum and a wrong meaning. Meanwhile it pushes new images, one after the other. It fails unless
every push ends with 0 and takes at most a second longer than alone (--delay: where other programs
keep the machine busy, more), and the receiver's descriptors and memory are as at the beginning when
all peers have gone.

Everything that it sends is made here, from the text of spec/bleota.md, not with the Swift code.
"""

import argparse
import hashlib
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

IMAGE_BYTE_COUNT = 100_000
# What the allocator keeps of a storm.
GROWTH_MAX_BYTES = 24 << 20
KINDS = ["idle", "silent", "slow", "garbage", "leaver", "poller", "fuzzer"]
HELLO = b"\x01BLEO\x01" + struct.pack("<H", 517)
OPEN, POLL, CLOSE, QUERY, ACK = 1, 2, 3, 4, 9
CONTROL, CONTROL_WITH_RESPONSE, DATA = b"\x02", b"\x03", b"\x04"

TABLE = []
for value in range(256):
    for _ in range(8):
        value = (value >> 1) ^ 0x8408 if value & 1 else value >> 1
    TABLE.append(value)


def checksum(data):
    """CRC-16/X-25, section 3 of the specification."""
    register = 0xFFFF
    for byte in data:
        register = (register >> 8) ^ TABLE[(register ^ byte) & 255]
    return register ^ 0xFFFF


def control(opcode, session, body):
    frame = bytes([1 << 4 | opcode]) + struct.pack("<H", session) + body
    return frame + struct.pack("<H", checksum(struct.pack("<H", session) + frame))


def data_frame(session, index, payload, epoch=0):
    frame = struct.pack("<H", index & 0x7FFF) + payload
    seed = struct.pack("<HBBI", session, 0, epoch, index)
    return frame + struct.pack("<H", checksum(seed + frame))


def opening(dice, session):
    """OPEN of a transfer that nobody has: chunks of 244 bytes, and a manifest of a megabyte."""
    return control(OPEN, session, struct.pack("<BI", 61, 1_000_000) + dice.randbytes(8))


class Peer:
    """One peer: connects, does what its kind does at each turn, and comes again when it is dropped."""

    def __init__(self, kind, path, dice):
        self.kind, self.path, self.dice = kind, path, dice
        self.socket = None
        self.session = dice.randrange(1, 0xFFFF)
        self.turn = 0
        self.epoch = 0

    def act(self, counts):
        try:
            if self.socket is None:
                self.connect(counts)
            else:
                self.drain()
                getattr(self, self.kind)()
        except (BlockingIOError, InterruptedError):
            counts["turned away"] += 1
            self.leave()
        except OSError:
            counts["dropped"] += 1
            self.leave()

    def connect(self, counts):
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        self.socket, self.turn = peer, 0
        peer.connect(self.path)
        counts["connections"] += 1
        if self.kind == "garbage":
            peer.send(self.dice.randbytes(self.dice.randrange(1, 300)))
        elif self.kind != "silent":
            peer.send(HELLO)

    def leave(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None

    def drain(self):
        try:
            while True:
                datagram = self.socket.recv(2048)
                if not datagram:
                    raise ConnectionResetError
                if len(datagram) > 4 and datagram[1] == 1 << 4 | ACK:
                    self.epoch = datagram[4]
        except BlockingIOError:
            pass

    def say(self, kind, frame):
        self.turn += 1
        self.socket.send(kind + frame)

    def idle(self):
        pass

    def silent(self):
        pass

    def garbage(self):
        self.say(b"", self.dice.randbytes(self.dice.randrange(1, 600)))

    def leaver(self):
        self.leave()

    def poller(self):
        if self.turn % 40 == 0:
            self.session = self.dice.randrange(1, 0xFFFF)
            self.say(CONTROL, opening(self.dice, self.session))
        else:
            self.say(CONTROL, control(POLL, self.session, b"\x00\x01"))

    def slow(self):
        """A session that brings a chunk at each turn, which would take it hours."""
        if self.turn == 0:
            self.say(CONTROL, opening(self.dice, self.session))
        else:
            chunk = self.dice.randbytes(244)
            self.say(DATA, data_frame(self.session, self.turn - 1, chunk, self.epoch))

    def fuzzer(self):
        session = self.session if self.dice.random() < 0.8 else self.dice.randrange(0x10000)
        which = self.dice.randrange(6)
        if which == 0:
            self.say(CONTROL, opening(self.dice, session))
        elif which == 1:
            opcode, body = self.dice.randrange(16), self.dice.randbytes(self.dice.randrange(14))
            self.say(CONTROL, control(opcode, session, body))
        elif which == 2:
            payload = self.dice.randbytes(self.dice.randrange(1, 480))
            self.say(DATA, data_frame(session, self.dice.randrange(0x20000), payload))
        elif which == 3:
            self.say(CONTROL_WITH_RESPONSE, control(CLOSE, session, self.dice.randbytes(2)))
        elif which == 4:
            self.say(CONTROL, control(QUERY, session, b""))
        else:
            self.say(bytes([self.dice.choice([4, 5, 7])]), self.dice.randbytes(self.dice.randrange(1, 99)))


class Storm(threading.Thread):
    """All peers, in one thread: each has a turn every few seconds."""

    def __init__(self, path, peer_count, seed):
        super().__init__(daemon=True)
        self.dice = random.Random(seed)
        self.peers = [Peer(KINDS[i % len(KINDS)], path, self.dice) for i in range(peer_count)]
        self.counts = {"connections": 0, "dropped": 0, "turned away": 0}
        self.stopping = threading.Event()
        self.passes = 0

    def run(self):
        while not self.stopping.is_set():
            self.dice.shuffle(self.peers)
            for number, peer in enumerate(self.peers):
                if self.stopping.is_set():
                    break
                peer.act(self.counts)
                # Some 1,000 turns a second: a storm that leaves a processor to those it storms at.
                if number % 20 == 0:
                    time.sleep(0.02)
            self.passes += 1
        for peer in self.peers:
            peer.leave()


def figures(process):
    """Descriptors, threads and resident bytes of a process."""
    with open(f"/proc/{process.pid}/status") as file:
        status = dict(line.split(":", 1) for line in file)
    descriptors = len(os.listdir(f"/proc/{process.pid}/fd"))
    return descriptors, int(status["Threads"]), int(status["VmRSS"].split()[0]) * 1024


def push(tool, place, dice):
    path = os.path.join(place, "image")
    with open(path, "wb") as file:
        file.write(dice.randbytes(IMAGE_BYTE_COUNT))
    start = time.monotonic()
    run = subprocess.run(
        [tool, "push", path, "--connect", f"unix:{place}/socket"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=300,
    )
    seconds = time.monotonic() - start
    with open(path, "rb") as image, open(f"{place}/store/current/image", "rb") as stored:
        isStored = hashlib.sha256(image.read()).digest() == hashlib.sha256(stored.read()).digest()
    return run.returncode, seconds, isStored, run.stderr.strip()


def await_idle(receiver, before):
    """Links end within moments; no more than half a minute is waited for them."""
    for _ in range(300):
        now = figures(receiver)
        if now[0] <= before[0]:
            break
        time.sleep(0.1)
    return figures(receiver)


def soak(arguments, place):
    dice = random.Random(arguments.seed)
    log = open(f"{place}/log", "w+")
    receiver = subprocess.Popen(
        [arguments.tool, "receive", "--listen", f"unix:{place}/socket", "--store", f"{place}/store"],
        stdout=log, stderr=log,
    )
    failures, times = [], []
    try:
        while not os.path.exists(f"{place}/socket"):
            if receiver.poll() is not None:
                return [f"the receiver ended with {receiver.returncode}"]
            time.sleep(0.01)
        alone = [push(arguments.tool, place, dice) for _ in range(5)]
        failures += [f"alone: {status} {errors}" for status, _, ok, errors in alone if status or not ok]
        usual = sorted(seconds for _, seconds, _, _ in alone)[2]
        before = figures(receiver)
        storm = Storm(f"{place}/socket", arguments.peers, arguments.seed)
        storm.start()
        begin = time.monotonic()
        end = begin + arguments.minutes * 60
        early = None
        while time.monotonic() < end and receiver.poll() is None and len(failures) < 10:
            status, seconds, ok, errors = push(arguments.tool, place, dice)
            times.append(seconds)
            if status != 0 or not ok:
                failures.append(f"push {len(times)}: {status} after {seconds:.2f} s, {errors}")
            elif seconds > usual + arguments.delay:
                failures.append(f"push {len(times)} took {seconds:.2f} s, alone {usual:.2f} s")
            if early is None and time.monotonic() > begin + (end - begin) / 10:
                early = figures(receiver)
        late = figures(receiver) if receiver.poll() is None else (0, 0, 0)
        storm.stopping.set()
        storm.join()
        if receiver.poll() is not None:
            log.seek(0)
            return failures + [f"the receiver ended with {receiver.returncode}: {log.read()[-300:]}"]
        after = await_idle(receiver, before)
        if after[0] > before[0]:
            failures.append(f"{after[0]} descriptors at the end, {before[0]} at the beginning")
        if after[2] > before[2] + GROWTH_MAX_BYTES:
            failures.append(f"{after[2] >> 20} MiB at the end, {before[2] >> 20} at the beginning")
        report(usual, times, storm, [before, early or late, late, after])
    finally:
        receiver.terminate()
        status = receiver.wait(30)
    if status != 0:
        failures.append(f"SIGTERM ended the receiver with {status}")
    return failures


def report(usual, times, storm, moments):
    times = sorted(times) or [0.0]
    print(f"pushes           {len(times)}")
    print(f"seconds alone    {usual:.3f} (median of 5)")
    print(f"seconds          median {times[len(times) // 2]:.3f}, longest {times[-1]:.3f}")
    print(f"peers            {len(storm.peers)}, in {storm.passes} turns each")
    print("                 " + ", ".join(f"{count:,} {name}" for name, count in storm.counts.items()))
    print("                 before   early    late   after   (early: after a tenth of the time)")
    for name, index, shift in [("descriptors", 0, 0), ("threads", 1, 0), ("resident MiB", 2, 20)]:
        print(f"{name:16} " + "  ".join(f"{figure[index] >> shift:6}" for figure in moments))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--peers", type=int, default=2_000)
    parser.add_argument("--delay", type=float, default=1, help="seconds that a push may take longer")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--tool", default=".build/release/bleota")
    arguments = parser.parse_args()
    print(f"seed             {arguments.seed} (--seed repeats what is sent, not when)", flush=True)
    with tempfile.TemporaryDirectory() as place:
        failures = soak(arguments, place)
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
