#!/usr/bin/env python3
"""Judges messages of SMP by PyPI's smp, in both directions.

    smp_judge.py requests FILE          one line of JSON for each request in FILE, a line of hex each
    smp_judge.py replies SEED COUNT     replies made by smp, each with what it says

Of a request the line has the name of smp's class, its sequence number and its fields, with bytes as
hex. A request that smp does not take gives {"error": sentence}. Of a reply the line has the message
as hex and the fields as smp was given them.
"""
import json, logging, random, sys

import cbor2
from smp.error import MGMT_ERR
from smp.header import OP, CommandId, GroupId, Header
from smp.image_management import (
    IMG_MGMT_ERR, ImageEraseRequest, ImageManagementErrorV1, ImageManagementErrorV2, ImageState,
    ImageStatesReadRequest, ImageStatesReadResponse, ImageStatesWriteRequest,
    ImageUploadWriteRequest, ImageUploadWriteResponse,
)
from smp.os_management import (
    BootloaderInformationReadRequest, EchoWriteRequest, EchoWriteResponse,
    MCUMgrParametersReadRequest, MCUMgrParametersReadResponse, OSApplicationInfoReadRequest,
    ResetWriteRequest,
)

# It warns of each message in version 1.
logging.getLogger("smp").setLevel(logging.ERROR)

REQUESTS = [
    ImageEraseRequest, ImageStatesReadRequest, ImageStatesWriteRequest, ImageUploadWriteRequest,
    BootloaderInformationReadRequest, EchoWriteRequest, MCUMgrParametersReadRequest,
    OSApplicationInfoReadRequest, ResetWriteRequest,
]


def plain(value):
    """The value with bytes as hex, as JSON needs it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def judged(packet):
    header = Header.loads(packet[:Header.SIZE])
    for kind in REQUESTS:
        key = (kind._OP, kind._GROUP_ID, kind._COMMAND_ID)
        if key == (header.op, header.group_id, header.command_id):
            message = kind.loads(packet)
            fields = message.model_dump(
                exclude_unset=True, exclude={"header", "version", "sequence", "smp_data"}
            )
            return {
                "class": kind.__name__, "sequence": message.sequence, "version": int(header.version),
                "length": header.length, "fields": plain(fields),
            }
    raise ValueError(f"smp has no request of group {header.group_id}, command {header.command_id}")


def reply(source, sequence):
    """A reply of a random kind, with its fields."""
    kind = source.randrange(6)
    if kind == 0:
        fields = {"buf_size": source.randrange(1, 70_000), "buf_count": source.randrange(1, 300)}
        return "parameters", MCUMgrParametersReadResponse(sequence=sequence, **fields), fields
    if kind == 1:
        fields = {"off": source.randrange(1 << source.randrange(1, 33))}
        return "upload", ImageUploadWriteResponse(sequence=sequence, **fields), fields
    if kind == 2:
        fields = {"r": "".join(source.choice("aé€𝄞 \n") for _ in range(source.randrange(40)))}
        return "echo", EchoWriteResponse(sequence=sequence, **fields), fields
    if kind == 3:
        code = source.choice(list(MGMT_ERR)[1:])
        message = error(ImageManagementErrorV1, 0, sequence, {"rc": int(code)})
        return "error", message, {"group": None, "rc": int(code)}
    if kind == 4:
        code = source.choice(list(IMG_MGMT_ERR)[1:])
        content = {"err": {"group": 1, "rc": int(code)}}
        message = error(ImageManagementErrorV2, 1, sequence, content)
        return "error", message, {"group": 1, "rc": int(code)}
    images = [image(source, slot) for slot in range(source.randrange(5))]
    message = ImageStatesReadResponse(
        sequence=sequence, images=[ImageState(**image) for image in images]
    )
    return "images", message, {"images": images}


def error(kind, version, sequence, content):
    """An error, which smp reads but does not make: it has no operation of its own."""
    data = cbor2.dumps(content)
    header = Header(
        op=OP.WRITE_RSP, version=version, flags=0, length=len(data),
        group_id=GroupId.IMAGE_MANAGEMENT, sequence=sequence,
        command_id=CommandId.ImageManagement.STATE,
    )
    packet = bytes(header) + data
    kind.loads(packet)
    return packet


def image(source, slot):
    flags = ["bootable", "pending", "confirmed", "active", "permanent"]
    state = {name: source.random() < 0.5 for name in flags if source.random() < 0.7}
    version = ".".join(str(source.randrange(256)) for _ in range(3))
    entry = {"slot": slot, "version": version, "hash": source.randbytes(32)}
    return entry | state | ({"image": source.randrange(3)} if source.random() < 0.5 else {})


def main(arguments):
    if arguments[0] == "requests":
        with open(arguments[1], encoding="ascii") as lines:
            for line in lines:
                try:
                    print(json.dumps(judged(bytes.fromhex(line.strip()))))
                except Exception as error:  # Whatever smp raises is its judgement.
                    print(json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}))
        return
    source = random.Random(int(arguments[1]))
    for count in range(int(arguments[2])):
        sequence = source.randrange(256)
        kind, message, fields = reply(source, sequence)
        print(json.dumps({
            "hex": bytes(message).hex(), "kind": kind, "sequence": sequence, "fields": plain(fields),
        }))


if __name__ == "__main__":
    main(sys.argv[1:])
