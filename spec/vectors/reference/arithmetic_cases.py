"""arithmetic.json: what an end computes from fields that are each in range."""

from . import control_cases, wire
from .book import Book


def book():
    made = Book("arithmetic", "Computations: operation, input and output or the reason of refusal.")
    add_chunk_sizes(made)
    add_chunk_indices(made)
    add_accounts(made)
    add_broken_accounts(made)
    add_epochs(made)
    add_directions(made)
    add_service_data(made)
    add_manifest_sizes(made)
    add_name_tags(made)
    return made


def valid(made, operation, word, comment, flags, given, output):
    made.valid("%s.%s" % (operation.lower(), word), comment, flags, operation=operation,
               input=given, output=output)


def invalid(made, operation, word, comment, flags, given, reason):
    made.invalid("%s.%s" % (operation.lower(), word), comment, flags, reason, operation=operation,
                 input=given)


def add_chunk_sizes(made):
    limits = (list(range(18, 29)) + [31, 32, 56, 62, 63, 64, 182, 183, 184]
              + list(range(240, 252)) + [300, 400] + list(range(484, 504))
              + list(range(506, 513)))
    for limit in limits:
        size = wire.chunk_size(limit)
        valid(made, "chunkSize", str(limit), "A link that carries %d bytes." % limit,
              ["CHUNK-1", "CHUNK-2"], {"linkByteCount": limit},
              {"largestChunkSize": wire.largest_chunk_size(limit), "chunkSize": size,
               "frameByteCount": size + 4})
    for limit in (0, 1, 3, 4, 12, 15):
        invalid(made, "chunkSize", str(limit), "A link that does not carry a chunk of 12 bytes.",
                ["CHUNK-1", "FRAME-1"], {"linkByteCount": limit}, "range")
    for mtu in (23, 24, 65, 185, 247, 251, 256, 498, 512, 514, 515, 516, 517):
        for path, overhead in (("write", 3), ("bluezServerNotification", 5)):
            if mtu - overhead < 18:
                continue
            valid(made, "linkByteCount", "%s-mtu-%d" % (path.lower(), mtu), "Section 10: what is "
                  "left of an ATT_MTU of %d." % mtu, ["CHUNK-1"], {"attMTU": mtu, "path": path},
                  {"linkByteCount": min(mtu - overhead, 512)})


def add_chunk_indices(made):
    for cumulative in (0, 1, 100, 16383, 16384, 16385, 32767, 32768, 40000, 65535, 65536, 1000000,
                       16777216, 357913941):
        for distance in (0, 1, -1, 16382, 16383, -16382, -16383):
            given = {"cumulative": cumulative, "low15": (cumulative + distance) % 32768}
            index = wire.chunk_index(**{"cumulative": cumulative, "low_bits": given["low15"]})
            word = "%d-%s%d" % (cumulative, "minus" if distance < 0 else "plus", abs(distance))
            if cumulative + distance < 0:
                invalid(made, "chunkIndex", word, "The nearest number is negative.", ["DATA-1"],
                        given, "index")
            else:
                valid(made, "chunkIndex", word, "The nearest number.", ["DATA-1"], given,
                      {"index": index})


def account(**changes):
    given = {"objectByteCount": 704, "chunkSize": 16, "cumulative": 0, "credit": 32,
             "durableByteCount": 0, "bitmap": ""}
    given.update(changes)
    return given


def add_accounts(made):
    big = {"objectByteCount": 4294967295, "chunkSize": 12}
    cases = [
        ("empty", "Nothing has arrived.", account()),
        ("some", "Some chunks have arrived.", account(cumulative=10, bitmap="05")),
        ("complete", "All 44 chunks: the chunk count is a possible cumulative acknowledgement.",
         account(cumulative=44, durableByteCount=704)),
        ("last-bit", "The bitmap shows the last chunk.", account(cumulative=40, bitmap="04")),
        ("no-credit", "No credit: the edge is the cumulative acknowledgement.",
         account(cumulative=20, credit=0)),
        ("unlimited", "Unlimited credit has no edge.", account(cumulative=20, credit=65535)),
        ("edge-past-the-object", "The edge may be past the object.",
         account(cumulative=40, credit=16383)),
        ("bitmap-64-bytes", "A bitmap of 64 bytes.",
         account(objectByteCount=1 << 20, bitmap="01" + "00" * 62 + "80")),
        ("short-last-chunk", "A last chunk of 12 bytes, all of it durable.",
         account(objectByteCount=700, cumulative=44, durableByteCount=700)),
        ("durable-within-chunk", "The durable part ends within chunk 21, which is missing.",
         account(**dict(big, cumulative=21, durableByteCount=256))),
        ("first-65535", "The first ACK, not yet wrapped.",
         account(**dict(big, cumulative=65535))),
        ("first-wrapped", "65,536 chunks are durable.",
         account(**dict(big, cumulative=0, durableByteCount=786432))),
        ("first-below-wrap", "65,535 chunks are durable, and one more has arrived.",
         account(**dict(big, cumulative=0, durableByteCount=786420))),
        ("first-far", "The cumulative acknowledgement is as far past the durable part as it may "
         "be.", account(**dict(big, cumulative=65535, durableByteCount=786432))),
        ("first-largest", "The largest image is complete.",
         account(**dict(big, cumulative=357913942 % 65536, durableByteCount=4294967295))),
    ]
    for word, comment, given in cases:
        add_account(made, word, comment, given)
    for durable, ahead in ((0, 32767), (0, 32768), (0, 32769), (1, 0), (65535, 1), (65536, 32768),
                           (70000, 0), (70000, 16384), (70000, 65535), (98304, 32767),
                           (98304, 65535), (357913900, 42)):
        add_account(made, "durable-%d-and-%d" % (durable, ahead),
                    "How far it is past the durable chunks is all that counts.",
                    account(**dict(big, durableByteCount=12 * durable,
                                   cumulative=(durable + ahead) % 65536)))


def add_account(made, word, comment, given):
    cumulative = wire.cumulative(given["cumulative"], given["durableByteCount"],
                                 given["chunkSize"])
    arrived = [cumulative + 1 + 8 * at + bit
               for at, byte in enumerate(bytes.fromhex(given["bitmap"]))
               for bit in range(8) if byte & 1 << bit]
    edge = None if given["credit"] == wire.UNLIMITED else cumulative + given["credit"]
    valid(made, "account", word, comment, ["ACK-7", "ACK-11"], given,
          {"cumulative": cumulative, "edge": edge, "arrived": arrived})


def add_broken_accounts(made):
    cases = [
        ("past-the-count", "45 of 44 chunks.", account(cumulative=45)),
        ("far-past-the-count", "Below what is durable it can't be.",
         account(cumulative=65535)),
        ("durable-past-the-cumulative", "43 of 44 chunks, but all bytes are durable.",
         account(cumulative=43, durableByteCount=704)),
        ("short-last-chunk", "A short last chunk is one chunk.",
         account(objectByteCount=700, cumulative=45)),
        ("one-byte-object", "2 of 1 chunks.", account(objectByteCount=1, cumulative=2)),
        ("bit-past-the-count", "The bitmap shows chunk 44 of an object whose last is 43.",
         account(cumulative=40, bitmap="08")),
        ("bit-far-past-the-count", "The bitmap shows a chunk far past the object.",
         account(cumulative=40, bitmap="00" * 63 + "80")),
        ("complete-with-bitmap", "Nothing can have arrived past a complete object.",
         account(cumulative=44, durableByteCount=704, bitmap="01")),
        ("durable-past-the-object", "705 of 704 bytes are durable.",
         account(cumulative=44, durableByteCount=705)),
        ("durable-largest", "4 GiB of a small object are durable.",
         account(cumulative=44, durableByteCount=4294967295)),
        ("durable-past-short-chunk", "704 of 700 bytes are durable.",
         account(objectByteCount=700, cumulative=44, durableByteCount=704)),
        ("wrapped-past-the-count", "The smallest number not below the durable part is past the "
         "object.", account(cumulative=31, durableByteCount=512)),
    ]
    for word, comment, given in cases:
        invalid(made, "account", "malformed-" + word, comment, ["ACK-7", "ACK-11"], given,
                "account")


def add_epochs(made):
    for present in (0, 1, 127, 128, 200, 255):
        for step in (0, 1, 2, 126, 127, -1, -2, -127, -128):
            received = (present + step) % 256
            word = "%d-%s%d" % (present, "minus" if step < 0 else "plus", abs(step))
            valid(made, "epochOrder", word, "Older by 1 to 128, newer by 1 to 127.",
                  ["ACK-8", "ACK-9"], {"present": present, "received": received},
                  {"order": wire.epoch_order(present, received)})


def add_service_data(made):
    def one(word, comment, data, version, wants_update, tag="ADV-1"):
        valid(made, "serviceData", word, comment, [tag], {"data": data.hex()},
              {"version": version, "wantsUpdate": wants_update})
    for version in ("", "2", "2.1", "2.1.0", "12.345.67", "1.2.3-beta.4", "2.1-β"):
        for wants in (False, True):
            word = "%s-%s" % ("wanted" if wants else "plain", "%d-bytes" % len(version.encode("utf-8")))
            one(word, "A version of %d bytes%s." % (len(version.encode("utf-8")), ", and an update is wanted" if wants else ""),
                wire.service_data(version, wants), version or None, wants)
    for bit in range(1, 6):
        one("reserved-%d" % bit, "The reserved bit %d is ignored." % bit,
            wire.service_data("2.1", True, 1 << bit), "2.1", True)
    one("not-utf8", "A version that is not UTF-8 is unknown.", b"\x812.\xff", None, True)
    one("empty", "No byte at all.", b"", None, False, "ADV-2")
    for text in ("v2", "2.1.0", "βη"):
        one("text-%d-bytes" % len(text.encode("utf-8")), "Only a version, without flags.", text.encode("utf-8"), text, False, "ADV-2")
    for first in (0x7F, 0xC0, 0xFF):
        version = None if first > 0x7F else "\x7f2"
        one("first-%02x" % first, "A first byte that holds no flags.", bytes([first]) + b"2", version, False, "ADV-2")


def add_directions(made):
    listed = {opcode: (name, end) for name, (opcode, end, _) in wire.CONTROL_FRAMES.items()}
    for opcode in range(16):
        name, sender = listed.get(opcode, (None, None))
        for end in ("sender", "receiver"):
            # The ids with 4, 5, 13 and 14 were of opcodes that were not assigned; those ids are gone.
            number = name.lower() if name in control_cases.ASSIGNED_LATER else opcode
            word, given = "%s-from-%s" % (number, end), {"opcode": opcode, "from": end}
            if sender == end:
                valid(made, "direction", word, "%s comes from the %s." % (name, end), ["FRAME-1"],
                      given, {"frame": name})
            else:
                comment = ("%s does not come from the %s." % (name, end) if name
                           else "Opcode %d is not assigned." % opcode)
                invalid(made, "direction", word, comment, ["FRAME-1"], given, "opcode")


def add_manifest_sizes(made):
    for size, k, attributes in ((1, 8, 0), (256, 8, 0), (257, 8, 0), (700, 8, 10),
                                (1048576, 12, 0), (1048577, 12, 0), (16777216, 12, 4096),
                                (536869888, 8, 0), (4294967295, 12, 4096), (4294967295, 16, 0)):
        blocks = (size + (1 << k) - 1) >> k
        given = {"imageByteCount": size, "k": k, "attributeByteCount": attributes}
        output = {"blockCount": blocks, "manifestByteCount": 50 + attributes + 16 * blocks}
        word = "%d-%d-%d" % (size, k, attributes)
        valid(made, "manifestByteCount", word, "B is rounded up.", ["MAN-1", "FRAME-1"], given,
              output)
    for size, k, attributes in ((4294967295, 8, 0), (4294967295, 11, 0), (536870656, 8, 0),
                                (536869888, 8, 4096)):
        given = {"imageByteCount": size, "k": k, "attributeByteCount": attributes}
        invalid(made, "manifestByteCount", "%d-%d-%d" % (size, k, attributes), "The blocks are too "
                "small for the image: the manifest exceeds 32 MiB.", ["MAN-1", "FRAME-1"], given,
                "range")


def add_name_tags(made):
    for word, name in (("ascii", "lamp-stable.bin"), ("one", "x"), ("empty", ""),
                       ("utf8", "L\u00e4mpchen-\u20ac-\U0001f4a1.bin")):
        valid(made, "nameTag", word, "The first 8 bytes of the SHA-256 of the name in UTF-8.",
              ["OPEN-9"], {"name": name}, {"nameTag": wire.tag(name.encode("utf-8"))})
