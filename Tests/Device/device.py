"""A device in an emulator: its start, what it logs, its end. Each has a folder of its own."""

import json
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import time

from line import Line

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build-embedded" / "device"


class Failure(Exception):
    """The device did what it must not."""


class Board:
    """What a test has to know of a board."""

    def __init__(self, name, page_byte_count, slot_byte_count, k, has_file, cut_byte_count, scenarios=None):
        self.name = name
        self.machine = name.removesuffix("-hf")  # as the emulator calls it
        self.scenarios = scenarios  # the names of those that run on it; all if None
        self.page_byte_count = page_byte_count
        self.slot_byte_count = slot_byte_count
        self.k = k  # blocks of 2^k bytes, as long as its memory holds two of them
        self.has_file = has_file
        self.cut_byte_count = cut_byte_count  # of the image in which every operation is cut


# What runs on a processor that differs from another in its instructions or its ABI alone: each kind of call.
EACH_CALL = ["push_an_image", "refuse_images", "kill_and_resume", "push_with_the_tool"]


def mps2(name, scenarios=None):
    return Board(name, 4096, 1 << 20, 12, True, 64 << 10, scenarios)


BOARDS = {board.name: board for board in (
    mps2("mps2-an386"),
    Board("microbit", 1024, 96 << 10, 12, False, 16 << 10),
    mps2("mps2-an386-hf", EACH_CALL),
    mps2("mps2-an505", EACH_CALL),
    mps2("mps2-an505-hf", EACH_CALL),
)}


class Device:
    """An emulator with the reference device in it; `with` ends it."""

    def __init__(self, board, *words, folder=None, program="device", extra=()):
        self.board = board
        self.owns_folder = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="bleota-device-"))
        self.serial = self.folder / "serial"
        self.events = queue.Queue()
        self.log = []
        words = ",".join("arg=" + word for word in ("device",) + words)
        command = ["qemu-system-arm", "-M", board.machine, "-nographic", "-monitor", "none",
                   "-kernel", str(BUILD / board.name / (program + ".elf")),
                   "-serial", "unix:%s,server,nowait" % self.serial,
                   "-semihosting-config", "enable=on,target=native," + words, *extra]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=self.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.thread = threading.Thread(target=self._read_log, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        # Where the line breaks, why is in the log.
        if kind is not None and issubclass(kind, OSError):
            time.sleep(0.2)  # For the last words of an emulator that ends.
            self.kill()
            self.fail("the line is broken")
        self.kill()
        if self.owns_folder:
            shutil.rmtree(self.folder)

    def _read_log(self):
        for line in self.process.stdout:
            text = line.decode("utf-8", "replace").rstrip()
            self.log.append(text)
            try:
                self.events.put(json.loads(text))
            except ValueError:
                pass  # What the emulator itself has to say.
        self.events.put(None)

    def next_event(self, *names, seconds=30):
        """The next event with one of these names; what must not happen ends the wait."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                event = self.events.get(timeout=max(deadline - time.monotonic(), 0))
            except queue.Empty:
                self.fail("no event %s in %d s" % (" or ".join(names), seconds))
            if event is None:
                self.events.put(None)
                self.fail("the device has ended")
            if event["event"] in names:
                return event
            if event["event"] in ("fault", "violation", "error"):
                self.fail("the device reports a mistake")

    def passed_events(self):
        """All that has happened until now, without waiting."""
        found = []
        while not self.events.empty():
            event = self.events.get()
            if event is None:
                self.events.put(None)
                self.fail("the device has ended")
            if event["event"] in ("fault", "violation", "error"):
                self.fail("the device reports a mistake: %s" % event)
            found.append(event)
        return found

    def fail(self, why):
        raise Failure("%s\n  %s" % (why, "\n  ".join(self.log[-12:])))

    def connect(self):
        """The line; the emulator listens before the device has started. It stays open as long as
        the device runs: what has not been read of one that is closed is lost."""
        deadline = time.monotonic() + 20
        while True:
            try:
                self.line = Line(self.serial)
                return self.line
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    self.fail("no line to the device")
                time.sleep(0.01)  # There is nothing to be told by that the socket is there.

    def kill(self):
        """As a power cut does it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.thread.join()
        self.process.stdout.close()
        if self.serial.exists():
            os.unlink(self.serial)
