"""Writes down a whole session, frame by frame, as one file of transfers/."""

from . import wire
from .book import write

LATENCY = 15  # Milliseconds from one end to the other, in every transfer here.


class Tape:
    """The frames of one transfer in the order in which they were sent."""

    def __init__(self, identifier, comment, flags, outcome, image, k=8, attributes=(), link=20):
        self.image = image
        self.manifest = wire.manifest(image, k, attributes)
        self.chunk_size = wire.chunk_size(link)
        self.tag = wire.tag(self.manifest)
        self.head = {"file": "transfer", "protocolVersion": 1, "id": identifier,
                     "comment": comment, "flags": flags, "outcome": outcome,
                     "linkByteCount": link, "latencyMilliseconds": LATENCY,
                     "chunkSize": self.chunk_size, "transferTag": self.tag,
                     "manifest": self.manifest.hex(), "image": image.hex()}
        self.frames = []

    def text(self):
        return write(self.head, "frames", self.frames)

    def _put(self, at, end, channel, session, frame, meaning, comment, fate, arrives):
        row = {"at": at, "arrives": None if fate == "lost" else at + LATENCY, "from": end,
               "channel": channel, "session": session, "fate": fate, "hex": frame.hex(),
               "meaning": meaning}
        if arrives is not None:
            row["arrives"] = arrives
        if comment:
            row["comment"] = comment
        self.frames.append(row)

    def control(self, at, session, name, comment=None, fate="taken", arrives=None, **fields):
        fields = dict({"frame": name}, **fields)
        if name in ("OPEN", "POLL", "CLOSE", "REQUEST"):
            fields = dict({"frame": name, "session": session}, **fields)
        frame = wire.control_frame(fields, session)
        if name == "RESULT":
            fields["version"] = wire.VERSION
        self._put(at, wire.CONTROL_FRAMES[name][1], "control", session, frame, fields, comment,
                  fate, arrives)

    def open(self, at, session, **more):
        self.control(at, session, "OPEN", chunkSize=self.chunk_size,
                     manifestByteCount=len(self.manifest), transferTag=self.tag, **more)

    def ack(self, at, session, place, cumulative, credit, durable=0, delay=0, poll=True,
            arrived=(), **more):
        """`place` is (object, epoch)."""
        self.control(at, session, "ACK", flags=int(poll), object=place[0], epoch=place[1],
                     cumulative=cumulative, credit=credit, durableByteCount=durable, delay=delay,
                     bitmap=wire.bitmap(cumulative, arrived), **more)

    def busy(self, at, session, place, phase, milliseconds, **more):
        self.control(at, session, "BUSY", phase=phase, object=place[0], epoch=place[1],
                     millisecondsLeft=milliseconds, **more)

    def result(self, at, session, reason, detail=0, **more):
        detail = detail if isinstance(detail, str) else wire.u64(detail)
        self.control(at, session, "RESULT", reason=wire.REASONS[reason], detail=detail, **more)

    def close(self, at, session, reason="verified", **more):
        self.control(at, session, "CLOSE", reason=wire.REASONS[reason], **more)

    def data(self, at, session, place, index, poll=False, comment=None, fate="taken", arrives=None,
             damage=0):
        """`damage` inverts bits of the payload before the checksum is made, as a broken store
        would."""
        source = self.manifest if place[0] == wire.MANIFEST else self.image
        payload = bytearray(source[index * self.chunk_size:(index + 1) * self.chunk_size])
        payload[0] ^= damage
        frame = wire.data_frame(session, place[0], place[1], index, bytes(payload), poll)
        meaning = {"frame": "DATA", "object": place[0], "epoch": place[1], "index": index,
                   "poll": poll, "payloadByteCount": len(payload)}
        self._put(at, "sender", "data", session, frame, meaning, comment, fate, arrives)

    def run(self, at, session, place, first, last, polls, fates=None, damage=None):
        """Chunks `first` to `last`, one a millisecond, P on those in `polls`."""
        for index in range(first, last + 1):
            self.data(at + index - first, session, place, index, index in polls,
                      fate=(fates or {}).get(index, "taken"), damage=(damage or {}).get(index, 0))
