"""What no sender would send: the fuzzers' inputs, wrong contents with right checksums, noise."""

import itertools
import random

import checks
from checks import expect, image, started
from device import ROOT
from line import CONTROL, DATA
from sender import Ended, Session, Transfer, barrier, wire

CORPUS = ROOT / "Tests" / "Fuzz" / "Corpus"
GROUP = 16  # Inputs between two questions whether the device still answers.


def inputs():
    """(name, bytes) of all that the fuzzers start from."""
    paths = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
    expect(paths, "there is no corpus")
    return [("/".join(path.parts[-2:]), path.read_bytes()) for path in paths]


def groups():
    everything = iter(inputs())
    return iter(lambda: list(itertools.islice(everything, GROUP)), [])


def frames_of(data):
    """Frames of at most 512 bytes."""
    return [data[start:start + 512] for start in range(0, len(data), 512)] or [b"\0"]


def send_inputs(line, group):
    for _, data in group:
        for channel in (CONTROL, DATA):
            for frame in frames_of(data):
                line.send(channel, frame)


def expect_unharmed(device, line, what):
    try:
        barrier(line)
    except (Ended, OSError) as error:
        device.fail("after %s: %r" % (what, error))
    device.passed_events()


def names(group):
    return "%s … %s" % (group[0][0], group[-1][0])


def corpus_alone(board, options):
    """To a device that waits."""
    with started(board) as device:
        line = device.connect()
        for group in groups():
            send_inputs(line, group)
            expect_unharmed(device, line, names(group))
        checks.push_good_image(device, line, 1)
    return "%d inputs" % len(inputs())


def corpus_after_open(board, options):
    """Each group after the OPEN of a new session."""
    with started(board) as device:
        line = device.connect()
        for number, group in enumerate(groups()):
            Session(line, Transfer(image(5000, number), board.k)).open()
            send_inputs(line, group)
            expect_unharmed(device, line, names(group))
        checks.push_good_image(device, line, 99)


def corpus_in_a_transfer(board, options):
    """Between the chunks of an image, which has to be verified in that same session."""
    with started(board) as device:
        line = device.connect()
        transfer = Transfer(image(60_000), board.k)
        session = Session(line, transfer)
        step = transfer.chunk_count(1) // (len(inputs()) // GROUP + 2)
        for number, group in enumerate(groups()):
            expect(not session.run(until=lambda account: account.object == 1
                                   and account.cumulative >= number * step), "ended too early")
            send_inputs(line, group)
            expect_unharmed(device, line, names(group))
        expect(session.run(), "the session did not survive")
        device.next_event("boot")


def sealed_frames(board, options):
    """The inputs with right checksums: they reach all that is behind the checksum. Then an image as
    it should be."""
    with started(board) as device:
        line = device.connect()
        for number, group in enumerate(groups()):
            session = Session(line, Transfer(image(30_000, number), board.k))
            session.run(until=lambda account: account.object == number % 2)
            for _, data in group:
                send_sealed(line, session, data)
            expect_unharmed(device, line, names(group))
        expect_image_after(device, line)


def send_sealed(line, session, data):
    account = session.account
    for frame in frames_of(data):
        control = bytes([0x10 | 1 + frame[0] % 4]) + session.number.to_bytes(2, "little") + frame
        for length in (5, 7, 18):  # Those of QUERY, POLL and CLOSE, and OPEN.
            body = control[:length - 2].ljust(length - 2, b"\0")
            # CLOSE only now and then: it ends what there is to disturb.
            if body[0] != 0x13 or frame[-1] % 8 == 0:
                line.send(CONTROL, wire.seal(body, wire.control_pseudo_header(session.number)))
        index = account.cumulative + frame[0] % 40
        size = session.transfer.chunk_size
        for payload in (frame[:508], frame.ljust(size, b"\xA5")[:size]):
            line.send(DATA, wire.data_frame(
                session.number, account.object, account.epoch, index, payload, frame[-1] & 1))


def expect_image_after(device, line):
    """The device may have restarted meanwhile, and dropped blocks that were wrong."""
    checks.push_good_image(device, line, 77)


def noise_on_the_line(board, options):
    """Random bytes, with and without ENDs, and packets cut short."""
    generator = random.Random(checks.SEED)
    with started(board) as device:
        line = device.connect()
        for _ in range(4):
            line.send_raw(generator.randbytes(8000))
            line.send_raw(bytes(generator.choices(b"\xC0\xDB\xDC\xDD\x00\x01\x12", k=8000)))
            line.send_raw(b"\x01" * 3000)
            expect_unharmed(device, line, "noise of seed %d" % checks.SEED)
        checks.push_good_image(device, line, 1)
    return "seed %d" % checks.SEED
