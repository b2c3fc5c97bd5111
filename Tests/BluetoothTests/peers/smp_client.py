"""A client of `smpclient` over bleak, for the tests of OtherDevicesTests.swift: uploads the file that
is the second argument to the device at the address that is the first one, marks it, resets the
device, and prints a line of JSON for each step.
"""

import asyncio
import json
import os
import sys

from smpclient import SMPClient
from smpclient.generics import error
from smpclient.requests.image_management import ImageStatesRead, ImageStatesWrite
from smpclient.requests.os_management import ResetWrite
from smpclient.transport import SMPTransportDisconnected, ble
from smpclient.transport.ble import SMPBLETransport

CONNECTION_SECONDS, ANSWER_SECONDS = 60, 20
ADAPTER = os.environ.get("BLEOTA_CENTRAL", "hci0")


class Scanner(ble.BleakScanner):
    """Of several adapters, bleak takes one by chance, which may be that of the device itself."""

    @classmethod
    async def find_device_by_address(cls, address, timeout):
        adapter = {"adapter": ADAPTER}
        return await super().find_device_by_address(address, timeout, bluez=adapter)


ble.BleakScanner = Scanner


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


async def ask(client, request):
    answer = await client.request(request, timeout_s=ANSWER_SECONDS)
    if error(answer):
        raise SystemExit(f"{type(request).__name__}: {answer}")
    return answer


def tell_images(answer):
    for image in answer.images:
        tell(
            "image",
            slot=image.slot,
            version=image.version,
            hash=image.hash.hex() if image.hash else None,
            active=image.active,
            pending=image.pending,
            confirmed=image.confirmed,
        )


async def connected(address):
    client = SMPClient(SMPBLETransport(), address, timeout_s=ANSWER_SECONDS)
    await client.connect(CONNECTION_SECONDS)
    tell("connected", mtu=client._transport.mtu)
    return client


async def main():
    address, path = sys.argv[1:]
    with open(path, "rb") as file:
        image = file.read()
    client = await connected(address)
    async for offset in client.upload(image):
        tell("uploaded", offset=offset)
    state = await ask(client, ImageStatesRead())
    tell_images(state)
    new = next(each for each in state.images if each.slot == 1)
    tell_images(await ask(client, ImageStatesWrite(hash=new.hash, confirm=True)))
    try:
        await ask(client, ResetWrite())
    except SMPTransportDisconnected:
        pass  # It was as fast as that.
    tell("reset")
    await client.disconnect()
    tell("done")


asyncio.run(main())
