"""Plays a file of transfers/ again and checks every frame against what both ends know by then.

Uses reader.py alone. A rule that is broken raises `Broken` with the number of the row.
"""

import hashlib

from . import reader


class Broken(Exception):
    """A transfer that contradicts itself or the protocol."""


def replay(transfer):
    """Returns nothing; raises Broken."""
    Replay(transfer).run()


def chunk_count(byte_count, chunk_size):
    return -(-byte_count // chunk_size)


class Replay:
    """Two small models, a sender's and a receiver's, that only follow what the frames say."""

    def __init__(self, transfer):
        self.head = transfer
        self.rows = transfer["frames"]
        self.sources = [bytes.fromhex(transfer["manifest"]), bytes.fromhex(transfer["image"])]
        self.stored = [bytearray(len(source)) for source in self.sources]
        self.chunk = transfer["chunkSize"]
        # The receiver: its session, (object, epoch), the chunks it has, and its last account.
        self.session = None
        self.place = None
        self.arrived = set()
        self.account = None
        self.newest = None       # When the newest data frame of this object arrived.
        self.polled = False
        self.unacknowledged = None
        # The sender: its session, and the account it has adopted.
        self.sender_session = None
        self.sender_place = None
        self.sender_account = None
        self.outcome = None
        self.closed = False

    def run(self):
        self.check_source()
        events = []
        for number, row in enumerate(self.rows):
            events.append((row["at"], 1, number, self.sent))
            if row["fate"] == "lost":
                self.need(row["arrives"] is None, number, "a lost frame does not arrive")
            else:
                events.append((row["arrives"], 0, number, self.came))
        for _, _, number, happened in sorted(events, key=lambda event: event[:3]):
            happened(number, self.rows[number])
        end = len(self.rows) - 1
        self.need(self.closed, end, "the last frame is not a CLOSE that arrives")
        self.need(self.outcome == self.head["outcome"], end, "another outcome")

    def check_source(self):
        manifest, image = self.sources
        fields = reader.read_manifest(manifest)
        size = 1 << fields["k"]
        blocks = [hashlib.sha256(image[at:at + size]).hexdigest()[:32]
                  for at in range(0, len(image), size)]
        tag = hashlib.sha256(manifest).hexdigest()[:16]
        self.need(fields["blockHashes"] == blocks and tag == self.head["transferTag"]
                  and fields["imageSHA256"] == hashlib.sha256(image).hexdigest(), 0,
                  "manifest, image and tag do not agree")
        self.need(reader.sizes(self.head["linkByteCount"])["chunkSize"] == self.chunk, 0,
                  "the chunk size is not that of the link")

    @staticmethod
    def need(condition, number, message):
        if not condition:
            raise Broken("frame %d: %s" % (number, message))

    # What happens when a frame is sent.

    def sent(self, number, row):
        frame, meaning = bytes.fromhex(row["hex"]), row["meaning"]
        self.need(len(frame) <= self.head["linkByteCount"], number, "longer than the link")
        self.need(row["channel"] == "control" or row["from"] == "sender"
                  and meaning["frame"] == "DATA", number, "it can't come on this channel")
        if row["channel"] == "data":
            self.sent_data(number, row, frame, meaning)
            return
        fields = reader.read_control(frame, row["from"], row["session"])
        self.need(fields == meaning and fields.get("session", row["session"]) == row["session"],
                  number, "another meaning")
        if fields["frame"] == "OPEN":
            self.need(fields["chunkSize"] == self.chunk
                      and fields["manifestByteCount"] == len(self.sources[0])
                      and fields["transferTag"] == self.head["transferTag"], number,
                      "OPEN announces something else")
            self.sender_session, self.sender_place = fields["session"], None
        elif fields["frame"] == "ACK":
            self.sent_ack(number, row, fields)
        elif fields["frame"] == "RESULT":
            self.sent_result(number, fields)

    def sent_data(self, number, row, frame, meaning):
        self.need(self.sender_place == (meaning["object"], meaning["epoch"])
                  and self.sender_session == row["session"], number,
                  "[OPEN-1], [ACK-9]: no account of this session, object and epoch")
        index, source = meaning["index"], self.sources[meaning["object"]]
        edge = self.sender_account["edge"]
        self.need(edge is None or index < edge, number, "[CREDIT-1]: past the edge")
        known = self.context(row["session"], self.sender_place, index, None)
        fields = reader.read_data(frame, known)
        self.need(fields["index"] == index and fields["poll"] == meaning["poll"]
                  and len(fields["payload"]) == 2 * meaning["payloadByteCount"], number,
                  "another meaning")
        right = source[index * self.chunk:(index + 1) * self.chunk].hex()
        self.need(fields["payload"] == right or "OBJ-5" in self.head["flags"], number,
                  "another payload")

    def context(self, session, place, cumulative, edge):
        return {"session": session, "object": place[0], "epoch": place[1],
                "objectByteCount": len(self.sources[place[0]]), "chunkSize": self.chunk,
                "cumulative": cumulative, "edge": edge}

    def sent_ack(self, number, row, fields):
        size = len(self.sources[fields["object"]])
        place = (fields["object"], fields["epoch"])
        fresh = place != self.place
        last = None if fresh else self.account["cumulative"]
        account = reader.read_account(dict(fields, objectByteCount=size, chunkSize=self.chunk,
                                           last=last))
        account["durable"] = fields["durableByteCount"]
        if fresh:
            self.begin_epoch(number, place, account)
        shown = self.shown(account["cumulative"])
        self.need(account["cumulative"] == self.first_missing() and account["arrived"] == shown,
                  number, "the account is not what has arrived")
        if not fresh:
            self.need((account["edge"] is None or account["edge"] >= self.account["edge"])
                      and account["durable"] >= self.account["durable"], number,
                      "[ACK-1]: the edge or the durable byte count goes back")
        self.need(fields["flags"] == int(self.polled), number, "the poll bit is wrong")
        delay = 0 if self.newest is None else min(row["at"] - self.newest, 255)
        self.need(fields["delay"] == delay, number, "the delay is %d" % delay)
        self.account, self.polled, self.unacknowledged = account, False, None

    def begin_epoch(self, number, place, account):
        claimed = set(range(account["cumulative"])) | set(account["arrived"])
        if self.place is not None:
            self.need(place[1] == (self.place[1] + 1) % 256, number, "[ACK-2]: not the next epoch")
            if place[0] == self.place[0]:
                self.need(claimed <= self.arrived, number, "it claims what never arrived")
            else:
                self.need(not claimed, number, "it claims chunks of a new object")
        self.place, self.arrived, self.newest = place, claimed, None

    def first_missing(self):
        index = 0
        while index in self.arrived:
            index += 1
        return index

    def shown(self, cumulative):
        """What the bitmap shows when it is cut to the link."""
        bits = 8 * min(64, self.head["linkByteCount"] - 15)
        return [i for i in range(cumulative + 1, cumulative + 1 + bits) if i in self.arrived]

    def sent_result(self, number, fields):
        verified = fields["reason"] == 0
        if verified:
            self.need(bytes(self.stored[1]) == self.sources[1], number, "the image is not whole")
            digest = hashlib.sha256(self.stored[1]).digest()[:8]
            self.need(int(fields["detail"], 16) == int.from_bytes(digest, "little"), number,
                      "[END-1]: another detail")
        self.outcome = {0: "verified", 0x0302: "noSpace"}.get(fields["reason"])

    # What happens when a frame arrives.

    def came(self, number, row):
        way = row["arrives"] - row["at"] - self.head["latencyMilliseconds"]
        self.need(way == 0 or way > 0 and row["fate"] == "dropped", number,
                  "only a dropped frame takes longer than the others")
        self.check_promptness(number, row["arrives"])
        if row["channel"] == "data":
            self.came_data(number, row)
        elif row["from"] == "sender":
            self.came_at_receiver(number, row)
        elif row["meaning"]["frame"] == "ACK":
            self.came_ack(number, row)
        else:
            self.need(row["fate"] == "taken", number, "nothing says why it is dropped")

    def check_promptness(self, number, now):
        if self.unacknowledged is not None and self.session == self.sender_session:
            late = now - self.unacknowledged
            self.need(late <= 250 and not (self.polled and late > 1), number,
                      "[ACK-4], [ACK-5]: an ACK is overdue")

    def came_data(self, number, row):
        known = None
        if self.place is not None:
            known = self.context(self.session, self.place, self.first_missing(),
                                 self.account["edge"])
        try:
            fields = reader.read_data(bytes.fromhex(row["hex"]), known)
        except reader.Refused as refused:
            self.need(row["fate"] == "dropped", number, "refused: " + refused.reason)
            return
        self.need(row["fate"] == "taken", number, "not refused")
        index, payload = fields["index"], bytes.fromhex(fields["payload"])
        self.arrived.add(index)
        start = index * self.chunk
        self.stored[self.place[0]][start:start + len(payload)] = payload
        self.newest, self.polled = row["arrives"], self.polled or fields["poll"]
        if self.unacknowledged is None:
            self.unacknowledged = row["arrives"]

    def came_at_receiver(self, number, row):
        self.need(row["fate"] == "taken", number, "nothing says why it is dropped")
        meaning = row["meaning"]
        if meaning["frame"] == "OPEN":
            if self.session not in (None, meaning["session"]):
                self.unacknowledged, self.newest, self.polled = None, None, False
            self.session = meaning["session"]
        elif meaning["frame"] == "CLOSE":
            self.closed = number == len(self.rows) - 1

    def came_ack(self, number, row):
        fields = row["meaning"]
        place = (fields["object"], fields["epoch"])
        order = "newer"
        if self.sender_place is not None:
            order = reader.compute("epochOrder", {"present": self.sender_place[1],
                                                  "received": fields["epoch"]})["order"]
        self.need((order == "older") == (row["fate"] == "dropped"), number, "[ACK-8]")
        if order == "older":
            return
        last = self.sender_account["cumulative"] if order == "same" else None
        size = len(self.sources[place[0]])
        self.sender_account = reader.read_account(dict(fields, objectByteCount=size,
                                                       chunkSize=self.chunk, last=last))
        self.sender_place = place
