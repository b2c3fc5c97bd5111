"""transfers/*.json: whole sessions. replay.py checks every number written here by hand."""

from . import wire
from .tape import Tape

IMAGE_700 = wire.pattern(700, 700)  # 44 chunks of 16 bytes, the last of 12; blocks end at 16, 32.
NAMED = [(1, b"lamp.bin")]          # Makes a manifest of 108 bytes: 7 chunks, the last of 12.


def tapes():
    return [push(), resume(), no_space(), request(), rejected_block(), damaged_block()]


def offer(tape, session, place=(0, 0)):
    """OPEN and a manifest of 7 chunks; the next frame of the receiver is due at 51."""
    tape.open(0, session)
    tape.ack(15, session, place, 0, 8, poll=False, comment="The first frame of the epoch.")
    tape.run(30, session, place, 0, 6, (3, 6))
    tape.ack(48, session, place, 4, 4)
    tape.ack(51, session, place, 7, 1, durable=108, comment="The manifest is complete.")


def push():
    tape = Tape("push", "A push of 700 bytes over a link of 20 bytes that loses nothing.",
                ["OPEN-1", "OPEN-3", "OBJ-1", "ACK-4", "WINDOW-2", "END-1", "END-3", "END-7"],
                "verified", IMAGE_700, attributes=NAMED)
    session, image = 0x1D07, (1, 1)
    offer(tape, session)
    tape.busy(151, session, (0, 0), 2, 29, comment="Judging has taken 100 milliseconds.")
    tape.ack(180, session, image, 0, 32, poll=False, comment="A new object is a new epoch.")
    tape.run(195, session, image, 0, 31, (15, 31))
    tape.ack(225, session, image, 16, 16)
    tape.ack(241, session, image, 32, 16, durable=256,
             comment="Block 0 is stored; the edge moves to 48.")
    tape.run(256, session, image, 32, 43, (37, 43))
    tape.ack(276, session, image, 38, 10, durable=512)
    tape.ack(282, session, image, 44, 4, durable=512, comment="The image is complete.")
    tape.busy(382, session, image, 4, 28)
    tape.result(410, session, "verified", wire.verified_detail(IMAGE_700))
    tape.close(425, session)
    return tape


def resume():
    tape = Tape("resume", "A chunk is lost and sent again; then the link is lost, and a second "
                "session goes on where the durable part ends. A late frame of the first session "
                "is dropped.",
                ["OPEN-5", "ACK-2", "ACK-3", "ACK-4", "ACK-5", "DATA-2", "END-6", "REPAIR-1",
                 "REPAIR-2"], "verified", IMAGE_700, attributes=NAMED)
    first, image = 0x2A51, (1, 1)
    offer(tape, first)
    tape.ack(80, first, image, 0, 32, poll=False)
    tape.run(95, first, image, 0, 31, (15, 31), fates={20: "lost"})
    tape.ack(125, first, image, 16, 16)
    tape.ack(131, first, image, 20, 28, durable=256, poll=False, arrived=(21,),
             comment="A gap, reported at once.")
    tape.ack(141, first, image, 20, 28, durable=256, arrived=range(21, 32))
    tape.data(146, first, image, 20, comment="Again before any new chunk.")
    tape.run(147, first, image, 32, 40, ())
    tape.ack(162, first, image, 33, 31, durable=512, poll=False,
             comment="Two blocks are stored; the edge moves to 64.")
    tape.data(156, first, image, 41, comment="Held for 2 seconds by a relay, and sent on over the new link.",
              fate="dropped", arrives=2031)
    tape.data(157, first, image, 42, fate="lost", comment="The link fails.")
    tape.data(158, first, image, 43, poll=True, fate="lost")
    tape.ack(200, first, image, 41, 23, durable=512, delay=30, poll=False, fate="lost",
             comment="Sent into a link that is gone.")
    tape.frames.sort(key=lambda row: row["at"])
    second, image = 0x2A52, (1, 2)
    tape.open(2000, second, comment="A new link and a new session, the same transfer.")
    tape.ack(2015, second, image, 32, 32, durable=512, poll=False,
             comment="What was durable is kept, and nothing else.")
    tape.run(2030, second, image, 32, 43, (37, 43))
    tape.ack(2050, second, image, 38, 26, durable=512)
    tape.ack(2056, second, image, 44, 20, durable=512)
    tape.result(2090, second, "verified", wire.verified_detail(IMAGE_700))
    tape.close(2105, second)
    return tape


def no_space():
    tape = Tape("no-space", "The receiver accepts the manifest as well-formed and refuses the "
                "image before it writes anything.", ["OBJ-3", "END-3", "END-5"],
                "noSpace", IMAGE_700, attributes=NAMED)
    session = 0x0B0B
    offer(tape, session)
    tape.result(80, session, "noSpace", 512, comment="512 bytes are free.")
    tape.close(95, session, comment="0 in CLOSE: seen.")
    return tape


def request():
    image = wire.pattern(40, 40)
    tape = Tape("request", "The receiver asks for an image by name; its first REQUEST is lost.",
                ["OPEN-8", "OPEN-9"], "verified", image)
    session, name_tag = 0x5151, wire.tag(b"lamp-stable.bin")
    tape.control(0, session, "REQUEST", nameTag=name_tag, fate="lost")
    tape.control(500, session, "REQUEST", nameTag=name_tag, comment="This receiver repeats REQUEST after half a second. The name "
                 "is lamp-stable.bin.")
    tape.open(515, session, comment="The session number is the receiver's.")
    tape.ack(530, session, (0, 9), 0, 65535, poll=False, comment="This receiver does not pace.")
    tape.run(545, session, (0, 9), 0, 4, (4,))
    tape.ack(564, session, (0, 9), 5, 65535, durable=66)
    tape.ack(570, session, (1, 10), 0, 65535, poll=False)
    tape.run(585, session, (1, 10), 0, 2, (2,))
    tape.ack(602, session, (1, 10), 3, 65535, durable=40)
    tape.result(620, session, "verified", wire.verified_detail(image))
    tape.close(635, session)
    return tape


def rejected_block():
    tape = Tape("rejected-block", "Chunk 5 was damaged before its checksum was made. The block "
                "does not have its hash, and a new epoch shows it as missing. An ACK of the old "
                "epoch comes late and is ignored.", ["OBJ-4", "OBJ-5", "ACK-2", "ACK-8", "ACK-9"],
                "verified", wire.pattern(512, 512))
    session, old, new = 0xC0DE, (1, 255), (1, 0)
    tape.open(0, session)
    tape.ack(15, session, (0, 254), 0, 32, poll=False)
    tape.run(30, session, (0, 254), 0, 5, (2, 5))
    tape.ack(47, session, (0, 254), 3, 29)
    tape.ack(50, session, (0, 254), 6, 26, durable=82)
    tape.ack(60, session, old, 0, 32, poll=False)
    tape.run(75, session, old, 0, 31, (15, 31), damage={5: 0x10})
    tape.ack(105, session, old, 16, 16)
    tape.ack(121, session, old, 32, 0, fate="dropped", arrives=150,
             comment="Delayed by the link until it is of an older epoch.")
    tape.ack(124, session, new, 0, 32, poll=False,
             comment="Block 0 is rejected, and all after it is to come again. After epoch 255 "
                     "comes 0.")
    tape.run(139, session, new, 0, 31, (15, 31))
    tape.ack(169, session, new, 16, 16)
    tape.ack(185, session, new, 32, 0, durable=512)
    tape.result(216, session, "verified", wire.verified_detail(tape.image))
    tape.close(231, session)
    return tape


def damaged_block():
    tape = Tape("damaged-block", "The receiver verifies the image, and block 1 is not stored as it "
                "was written. A new epoch shows it as missing, and block 2, behind it, as held. "
                "The sender sends what that account does not show, and nothing else.",
                ["ACK-2", "ACK-9", "OBJ-6"], "verified", IMAGE_700, attributes=NAMED)
    tape.head["damagedBlock"] = 1
    session, old, new = 0x0D1D, (1, 1), (1, 2)
    offer(tape, session)
    tape.ack(80, session, old, 0, 32, poll=False)
    tape.run(95, session, old, 0, 31, (15, 31))
    tape.ack(125, session, old, 16, 16)
    tape.ack(141, session, old, 32, 16, durable=256)
    tape.run(156, session, old, 32, 43, (37, 43))
    tape.ack(176, session, old, 38, 10, durable=512)
    tape.ack(182, session, old, 44, 4, durable=512, comment="The image is complete.")
    tape.ack(220, session, new, 16, 32, durable=256, poll=False, arrived=range(32, 44),
             comment="Chunks 16 to 31 are missing again, which the epoch before acknowledged.")
    tape.run(235, session, new, 16, 31, (23, 31))
    tape.ack(257, session, new, 24, 24, durable=256, arrived=range(32, 44))
    tape.ack(265, session, new, 44, 4, durable=256, comment="Past what was held.")
    tape.result(300, session, "verified", wire.verified_detail(IMAGE_700))
    tape.close(315, session)
    return tape
