"""In the guest: a GATT peripheral of `bless` on hci1 and a central of `bleak` on hci0.

The central finds the peripheral, connects, reads, writes and is notified. This tests the guest, not bleota.
"""

import asyncio
import time

from bleak import BleakClient, BleakScanner
from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties

SERVICE = "a5a50001-0000-4000-8000-00805f9b34fb"
VALUE = "a5a50002-0000-4000-8000-00805f9b34fb"
PERIPHERAL = "00:AA:01:01:00:01"

started = time.monotonic()


def say(what):
    print(f"{time.monotonic() - started:6.2f} s  {what}", flush=True)


async def start_server(written):
    server = BlessServer(name="smoke", loop=asyncio.get_running_loop(), adapter="hci1")
    server.read_request_func = lambda characteristic: characteristic.value

    def write(characteristic, value):
        characteristic.value = value
        written.set()

    server.write_request_func = write
    await server.add_new_service(SERVICE)
    await server.add_new_characteristic(
        SERVICE,
        VALUE,
        GATTCharacteristicProperties.read
        | GATTCharacteristicProperties.write
        | GATTCharacteristicProperties.notify,
        bytearray(b"first"),
        GATTAttributePermissions.readable | GATTAttributePermissions.writeable,
    )
    await server.start()
    return server


async def find():
    # An emulated peripheral says once that it is there, when scanning begins: begin again until it is heard.
    for attempt in range(1, 11):
        found = await BleakScanner.find_device_by_address(
            PERIPHERAL, timeout=3, bluez={"adapter": "hci0"}
        )
        if found:
            say(f"found in attempt {attempt}")
            return found
    raise SystemExit("the peripheral was not found in 10 attempts")


async def use(device, server, written):
    notified = asyncio.Queue()
    async with BleakClient(device, bluez={"adapter": "hci0"}) as client:
        say("connected")
        assert await client.read_gatt_char(VALUE) == b"first"
        say("read")
        await client.write_gatt_char(VALUE, b"second", response=True)
        await asyncio.wait_for(written.wait(), 5)
        assert await client.read_gatt_char(VALUE) == b"second"
        say("written")
        await client.start_notify(VALUE, lambda _, value: notified.put_nowait(value))
        server.get_characteristic(VALUE).value = bytearray(b"third")
        server.update_value(SERVICE, VALUE)
        assert await asyncio.wait_for(notified.get(), 5) == b"third"
        say("notified")


async def main():
    say("modules loaded")
    written = asyncio.Event()
    server = await start_server(written)
    say("peripheral started")
    for attempt in range(1, 4):
        try:
            await use(await find(), server, written)
            break
        # Service discovery fails now and then in the guest: connect again.
        except Exception as problem:
            say(f"attempt {attempt} to connect: {problem!r}")
            if attempt == 3:
                raise
    await server.stop()
    say("done")


asyncio.run(main())
