"""A central of `bleak` on hci0, for the tests of OtherToolsTests.swift: finds the device on hci1 by
the service that is the first argument, connects, does each of the other arguments in turn, and
prints a line of JSON for each.

    read:UUID  write:UUID:HEX  command:UUID:HEX  notify:UUID:COUNT  quiet:UUID  list
"""

import asyncio
import json
import os
import sys

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

PERIPHERAL = os.environ.get("BLEOTA_DEVICE_ADDRESS", "00:AA:01:01:00:01")
ADAPTER = os.environ.get("BLEOTA_CENTRAL", "hci0")


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


async def find(service):
    # An emulated peripheral says once that it is there, when scanning begins: begin again.
    for _ in range(15):
        found = await BleakScanner.find_device_by_filter(
            lambda device, advertised: service in advertised.service_uuids,
            timeout=3,
            bluez={"adapter": ADAPTER},
        )
        if found:
            return found
    raise SystemExit("no device advertises " + service)


class Central:
    def __init__(self, client):
        self.client = client

    async def list(self):
        for service in self.client.services:
            tell(
                "service",
                uuid=service.uuid,
                characteristics={
                    each.uuid: sorted(each.properties) for each in service.characteristics
                },
                descriptors=[
                    descriptor.uuid
                    for each in service.characteristics
                    for descriptor in each.descriptors
                ],
            )

    async def read(self, uuid):
        tell("read", uuid=uuid, value=bytes(await self.client.read_gatt_char(uuid)).hex())

    async def write(self, uuid, value):
        await self.client.write_gatt_char(uuid, bytes.fromhex(value), response=True)
        tell("written", uuid=uuid)

    async def command(self, uuid, value):
        await self.client.write_gatt_char(uuid, bytes.fromhex(value), response=False)
        tell("commanded", uuid=uuid)

    async def notify(self, uuid, count):
        """Subscribes, and waits for so many values."""
        values = asyncio.Queue()
        await self.client.start_notify(uuid, lambda _, value: values.put_nowait(value))
        tell("subscribed", uuid=uuid)
        for _ in range(int(count)):
            value = await asyncio.wait_for(values.get(), 30)
            tell("notified", uuid=uuid, value=bytes(value).hex())

    async def quiet(self, uuid):
        await self.client.stop_notify(uuid)
        tell("unsubscribed", uuid=uuid)

    async def perform(self, step):
        name, *arguments = step.split(":")
        try:
            await getattr(self, name)(*arguments)
        except BleakError as error:
            if not self.client.is_connected:
                raise
            tell("error", step=step, error=str(error))


async def main():
    service, *steps = sys.argv[1:]
    found = await find(service)
    tell("found", name=found.name)
    # Finding the services fails now and then in the guest, or the daemon says that it is done
    # before it tells of them all: connect again.
    for attempt in range(1, 6):
        try:
            async with BleakClient(found, timeout=20, bluez={"adapter": ADAPTER}) as client:
                tell("connected", attempt=attempt)
                if not client.services.get_service(service):
                    tell("incomplete", services=[each.uuid for each in client.services])
                    continue
                for step in steps:
                    await Central(client).perform(step)
            break
        except Exception as problem:
            tell("failed", attempt=attempt, why=repr(problem))
            if attempt == 5:
                raise
            found = await find(service)
    tell("done")


asyncio.run(main())
