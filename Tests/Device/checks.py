"""What scenarios have in common: images to send, and what must be true after a transfer."""

import hashlib
import os
import random

import sender
from device import Device, Failure

SEED = int(os.environ.get("BLEOTA_TEST_SEED", "0"), 0) or random.SystemRandom().getrandbits(32)


def image(byte_count, number=0):
    """Bytes that are the same for the same seed and number."""
    return random.Random("%d %d" % (SEED, number)).randbytes(byte_count)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def expect(is_right, why):
    if not is_right:
        raise Failure(why)


def expect_image(device, sent):
    """After a push: the device reports its end, holds the image, and starts it."""
    ended = device.next_event("ended")
    while ended["reason"] != 0:
        ended = device.next_event("ended")
    expect(ended["violations"] == 0, "violations: %s" % ended)
    dump = device.folder / "image"
    if dump.exists():
        expect(dump.read_bytes() == sent, "what is in the slot is not what was sent")
    expect_boot(device, sent)
    return ended


def expect_boot(device, sent):
    boot = device.next_event("boot")
    expect((boot["from"], boot["sha256"]) == ("slot", sha256(sent)), "other image runs: %s" % boot)
    device.next_event("ready")


def started(board, *words, **options):
    """A device that is ready, for `with`; it writes a verified image to `image` in its folder."""
    device = Device(board, "dump=image", *words, **options)
    try:
        device.next_event("ready")
    except Failure:
        device.kill()
        raise
    return device


def push_good_image(device, line, number, byte_count=20_000):
    """What a device must still do after whatever was done to it."""
    transfer = sender.Transfer(image(byte_count, number), device.board.k)
    sender.push(line, transfer)
    return expect_image(device, transfer.image)
