"""A client of `smpclient` over bleak, for the tests of OtherDevicesTests.swift: uploads the file that
is the second argument to the device at the address that is the first one, marks it, resets the
device, and prints a line of JSON for each step.
"""

import asyncio
import json
import sys

from smpclient import SMPClient
from smpclient.generics import error
from smpclient.requests.image_management import ImageStatesRead, ImageStatesWrite
from smpclient.requests.os_management import ResetWrite
from smpclient.transport import SMPTransportDisconnected
from smpclient.transport.ble import SMPBLETransport

CONNECTION_SECONDS, ANSWER_SECONDS = 30, 20


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
    # Finding the services fails now and then in the guest: connect again.
    for attempt in range(1, 6):
        client = SMPClient(SMPBLETransport(), address, timeout_s=ANSWER_SECONDS)
        try:
            await client.connect(CONNECTION_SECONDS)
            tell("connected", attempt=attempt, mtu=client._transport.mtu)
            return client
        except Exception as problem:
            tell("failed", attempt=attempt, why=repr(problem))
    raise SystemExit("can't connect to " + address)


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
