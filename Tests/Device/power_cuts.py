"""Supplies that fail: during each operation of the flash in turn, and as the emulator is killed."""

import random
import tempfile

import checks
from checks import expect, image, sha256, started
from device import Device
from sender import Session, Transfer, push


def again_max(board, transfer, k):
    """Bytes of the image that may have to be sent a second time after a power cut: of those which
    the device has acknowledged in an ACK, as the sender counts them. One block, or all of a page
    that holds several, and a chunk."""
    return max(1 << k, board.page_byte_count) + transfer.chunk_size


def cut_at_every_operation(board, options):
    """One run of the emulator. In transfer n operation n fails, then the transfer goes on, until
    one needs fewer than n."""
    return cut_all(board, board.cut_byte_count, board.k, tear=0)


def cut_at_every_operation_of_small_blocks(board, options):
    """The same with several blocks in a page, and other remains of what was torn."""
    return cut_all(board, 8 << 10, 9, tear=1)


def cut_all(board, byte_count, k, tear):
    with started(board, "cutfrom=1", "tear=%d" % tear) as device:
        line = device.connect()
        before, worst, worst_lost, number = None, 0, 0, 0
        while True:
            number += 1
            transfer = Transfer(image(byte_count, number), k)
            push(line, transfer)
            events = events_to_boot(device)
            expect_right_boots(events, before, transfer.image)
            if any(event["event"] == "cuts_done" for event in events):
                break
            cuts = [event for event in events if event["event"] == "cut"]
            expect([cut["operation"] for cut in cuts] == [number], "cut at %s" % cuts)
            expect(transfer.bytes_again <= again_max(board, transfer, k),
                   "operation %d: %d bytes again" % (number, transfer.bytes_again))
            worst = max(worst, transfer.bytes_again)
            worst_lost = max(worst_lost, transfer.bytes_sent - byte_count)
            before = transfer.image
    return ("%d cuts; at most %d acknowledged bytes again, %d with what was on its way"
            % (number - 1, worst, worst_lost))


def events_to_boot(device):
    """All events of a transfer, until the device has started with what it brought."""
    events = []
    while not events or events[-1]["event"] != "restart":
        events.append(device.next_event("cut", "cuts_done", "boot", "resumed", "durable", "ended",
                                        "restart"))
    events.append(device.next_event("boot"))
    device.next_event("ready")
    return events


def expect_right_boots(events, before, new):
    """After a cut runs what ran before, and from the slot only as long as nothing of it was written
    over; at the end what was sent."""
    has_written = False
    for event in events[:-1]:
        has_written |= event["event"] == "durable"
        if event["event"] == "boot" and event["from"] == "slot":
            expect(not has_written and before and event["sha256"] == sha256(before)
                   or event["sha256"] == sha256(new), "boots what it must not: %s" % event)
        if event["event"] == "ended":
            expect(event["violations"] == 0, "violations: %s" % event)
    last = events[-1]
    expect(last["violations"] == 0 and last["from"] == "slot" and last["sha256"] == sha256(new),
           "the new image does not run: %s" % last)


def cut_again_and_again(board, options):
    """The supply fails each time after a few operations: still something stays of each start."""
    with started(board, "cutevery=7", "quiet") as device:
        transfer = Transfer(image(16 << 10), board.k)
        push(device.connect(), transfer, seconds=120)
        boot = device.next_event("boot")
        while (boot["from"], boot["sha256"]) != ("slot", sha256(transfer.image)):
            expect(boot["from"] == "old", "boots what it must not: %s" % boot)
            boot = device.next_event("boot")
    return "%d sessions" % transfer.sessions


def kill_and_resume(board, options):
    """The emulator is killed, with its flash in a file, and another one goes on with that file."""
    if not board.has_file:
        return "left out: its flash is no file"
    generator = random.Random(checks.SEED)
    worst = 0
    for number in range(6):
        with tempfile.TemporaryDirectory(prefix="bleota-device-") as folder:
            transfer = Transfer(image(64 << 10, number), board.k)
            # Two blocks of 16 may be on their way and two more acknowledged at once: before the kill the image
            # must not be whole, however late it comes.
            at = generator.randrange(1, transfer.chunk_count(1) * 5 // 8)
            with started(board, "flash=flash", folder=folder) as device:
                kill_at(device, transfer, at)
            worst = max(worst, resume(board, folder, transfer))
    return "at most %d acknowledged bytes again" % worst


def kill_at(device, transfer, chunk):
    """Kills it when it has so many chunks, and more on their way."""
    def is_there(account):
        return account.object == 1 and account.cumulative >= chunk

    session = Session(device.connect(), transfer)
    expect(not session.run(until=is_there), "the transfer ended before chunk %d" % chunk)
    session.send_chunks()
    device.kill()


def resume(board, folder, transfer):
    with Device(board, "flash=flash", "dump=image", folder=folder) as device:
        boot = device.next_event("boot")
        expect(boot["from"] == "old", "boots what is not whole: %s" % boot)
        device.next_event("ready")
        push(device.connect(), transfer)
        checks.expect_image(device, transfer.image)
    expect(transfer.bytes_again <= again_max(board, transfer, board.k),
           "%d bytes again" % transfer.bytes_again)
    return transfer.bytes_again
