"""Images that are sent as they should be, and some that the device must refuse."""

import os
import pathlib
import subprocess

import checks
import sender
from checks import expect, expect_image, image, started
from sender import Transfer, push, wire


def push_an_image(board, options):
    """An image whose length fits neither blocks nor pages nor words, and then another one."""
    with started(board) as device:
        line = device.connect()
        for number, byte_count in enumerate((70_003, 1, 4096)):
            transfer = Transfer(image(byte_count, number), board.k)
            push(line, transfer)
            ended = expect_image(device, transfer.image)
            status = sender.barrier(line)
            expect(status["runningTag"] == wire.tag(transfer.image), "STATUS: %s" % status)
    return "stack %d bytes, %d operations" % (ended["stack_peak"], ended["operations"])


def push_what_is_there(board, options):
    """The same image again: nothing of it is asked for."""
    with started(board) as device:
        line = device.connect()
        push(line, Transfer(image(9000), board.k))
        expect_image(device, image(9000))
        again = Transfer(image(9000), board.k)
        push(line, again)
        expect(again.bytes_sent == 0, "%d bytes were sent again" % again.bytes_sent)
        expect_image(device, image(9000))


def push_small_blocks(board, options):
    """Blocks of 512 and 256 bytes, so that several share a page of the flash."""
    with started(board) as device:
        line = device.connect()
        for k in (9, 8):
            transfer = Transfer(image(7_001, k), k)
            push(line, transfer)
            expect_image(device, transfer.image)


def push_small_chunks(board, options):
    """Chunks of 12 bytes, as over a link of 18."""
    with started(board) as device:
        transfer = Transfer(image(5000), board.k, chunk_size=12)
        push(device.connect(), transfer)
        expect_image(device, transfer.image)


def push_a_full_slot(board, options):
    """The largest image that there is room for."""
    with started(board, "quiet") as device:
        transfer = Transfer(image(board.slot_byte_count), board.k, chunk_size=508)
        push(device.connect(), transfer, seconds=600)
        ended = expect_image(device, transfer.image)
    return "%d bytes, stack %d bytes" % (len(transfer.image), ended["stack_peak"])


def refuse_images(board, options):
    """One that is too long, one for other hardware, one that must be understood and is not."""
    hardware = (0x81, bytes(4) + b"other/device")
    cases = [("noSpace", Transfer(image(board.slot_byte_count + 1), board.k + 2)),
             ("wrongHardware", Transfer(image(500), board.k, attributes=[hardware])),
             ("unknownAttribute", Transfer(image(500), board.k, attributes=[(0xC0, b"?")]))]
    with started(board) as device:
        line = device.connect()
        for name, transfer in cases:
            reason = reason_of(line, transfer)
            expect(reason in (wire.REASONS[name], wire.REASONS["tooLarge"]),
                   "%s: ended with 0x%04x" % (name, reason))
            expect(transfer.bytes_sent == 0, "%s: image bytes were sent" % name)
        checks.push_good_image(device, line, 1)


def push_with_slow_flash(board, options):
    """Pages that take 20 ms to erase, and words that take 40 µs."""
    with started(board, "erase_us=20000", "write_us=40") as device:
        transfer = Transfer(image(40_000), board.k)
        push(device.connect(), transfer)
        expect_image(device, transfer.image)
    return "%d bytes sent for %d" % (transfer.bytes_sent, len(transfer.image))


def push_with_the_tool(board, options):
    """The package's own sender, as its users start it. It may close the line before the emulator
    has read its CLOSE; then the device waits 10 seconds for it."""
    if not options.tool:
        return "left out: no --tool"
    with started(board) as device:
        path = device.folder / "sent"
        sent = real_firmware(board) or image(50_001)
        path.write_bytes(sent)
        command = [os.path.abspath(options.tool), "push", str(path), "--connect",
                   "serial:%s" % device.serial]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        expect(result.returncode == 0, result.stdout + result.stderr)
        expect_image(device, sent)
    return "%d bytes" % len(sent)


def real_firmware(board):
    """OpenSBI, if it was fetched and fits."""
    folder = os.environ.get("BLEOTA_FIRMWARE_DIR")
    for path in sorted(pathlib.Path(folder or os.devnull).glob("opensbi/**/generic/fw_dynamic.bin")):
        if path.stat().st_size <= board.slot_byte_count:
            return path.read_bytes()
    return None


def flash_that_fails(board, options):
    """Each operation fails in turn: the session ends with *storeFailed*, the next one goes well."""
    number, reason = 0, None
    while reason != 0:
        number += 1
        with started(board, "fail=%d" % number) as device:
            line = device.connect()
            transfer = Transfer(image(6000, number), board.k)
            reason = reason_of(line, transfer)
            if reason != 0:
                expect(reason == wire.REASONS["storeFailed"], "ended with 0x%04x" % reason)
                push(line, transfer)
            expect_image(device, transfer.image)
    return "%d operations" % (number - 1)


def reason_of(line, transfer):
    """How a transfer ends."""
    try:
        push(line, transfer)
    except sender.Ended as end:
        return end.reason
    return 0


def withdraw(board, options):
    """A transfer that its sender takes back in the middle: nothing of it is left ([END-8])."""
    with started(board) as device:
        line = device.connect()
        first = Transfer(image(40_000), board.k)
        session = sender.Session(line, first)
        session.run(until=lambda account: first.durable > 8192)
        session.close("withdrawn")
        again = Transfer(image(40_000), board.k)
        session = sender.Session(line, again)
        session.run(until=lambda account: account.object == wire.IMAGE)
        expect(again.durable == 0, "%d bytes are durable of what was withdrawn" % again.durable)
        push(line, again)
        expect_image(device, again.image)
