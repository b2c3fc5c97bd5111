"""Drives PyPI's smpclient, which we did not write, against a receiver: one command after another.

    smp_client.py (udp HOST:PORT | serial PATH | raw PATH) COMMAND…

Commands are upload:FILE, state, test, confirm, confirm-slot, reset, erase and echo. Each prints a line
of JSON; an upload prints one for each answer.
"""
import asyncio, json, sys

from smpclient import SMPClient
from smpclient.exceptions import SMPUploadError
from smpclient.generics import error
from smpclient.requests.image_management import ImageErase, ImageStatesRead, ImageStatesWrite
from smpclient.requests.os_management import EchoWrite, ResetWrite
from smpclient.transport.serial import SMPSerialRawTransport, SMPSerialTransport
from smpclient.transport.udp import SMPUDPTransport


class UDPTransport(SMPUDPTransport):
    """The same, with a port in the address."""

    async def connect(self, address, timeout_s, port=1337):
        host, _, port = address.rpartition(":")
        await super().connect(host, timeout_s, int(port))


TRANSPORTS = {"udp": UDPTransport, "serial": SMPSerialTransport, "raw": SMPSerialRawTransport}


def say(event, **fields):
    print(json.dumps({"event": event} | fields), flush=True)


def code(reply):
    """The number of an error in either style."""
    return {"rc": int(reply.rc)} if hasattr(reply, "rc") and reply.rc is not None else {
        "group": int(reply.err.group), "rc": int(reply.err.rc)}


async def upload(client, path):
    with open(path, "rb") as file:
        image = file.read()
    try:
        async for offset in client.upload(image, first_timeout_s=20, subsequent_timeout_s=20):
            say("offset", off=offset, len=len(image))
    except SMPUploadError as refusal:
        say("refused", **code(refusal.args[0]))


async def images(client):
    return (await client.request(ImageStatesRead())).images


async def state_write(client, **arguments):
    reply = await client.request(ImageStatesWrite(**arguments))
    say("failed", **code(reply)) if error(reply) else say("written")


async def perform(client, command):
    name, _, argument = command.partition(":")
    if name == "upload":
        await upload(client, argument)
    elif name == "state":
        say("state", images=[
            {"slot": image.slot, "version": image.version, "active": image.active,
             "hash": bytes(image.hash).hex() if image.hash else "",
             "pending": image.pending, "confirmed": image.confirmed}
            for image in await images(client)])
    elif name in ("test", "confirm-slot"):
        waiting = (await images(client))[1]
        await state_write(client, hash=waiting.hash, confirm=name != "test")
    elif name == "confirm":
        await state_write(client, confirm=True)
    elif name in ("reset", "erase", "echo"):
        request = {"reset": ResetWrite(), "erase": ImageErase(slot=1), "echo": EchoWrite(d="hi")}
        reply = await client.request(request[name])
        say("failed", **code(reply)) if error(reply) else say(name)
    else:
        raise SystemExit(f"no such command: {command}")


async def main(kind, address, commands):
    async with SMPClient(TRANSPORTS[kind](), address, timeout_s=10) as client:
        for command in commands:
            await perform(client, command)


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
