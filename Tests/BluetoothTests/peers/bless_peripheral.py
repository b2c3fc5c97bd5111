"""A GATT peripheral of `bless` on hci1, for the tests of OtherToolsTests.swift, until it is ended.

Prints a line of JSON when it advertises, and one for each value that is written.
"""

import asyncio
import json
import os

from bless import BlessServer, GATTAttributePermissions, GATTCharacteristicProperties
from bless import GATTDescriptorProperties
from dbus_next import DBusError

SERVICE = "b1e55000-0000-4000-8000-000000000001"
TEXT = "b1e55001-0000-4000-8000-000000000001"
WRITTEN = "b1e55002-0000-4000-8000-000000000001"
COMMANDED = "b1e55003-0000-4000-8000-000000000001"
TICKS = "b1e55004-0000-4000-8000-000000000001"
BATTERY_SERVICE = "0000180f-0000-1000-8000-00805f9b34fb"
BATTERY = "00002a19-0000-1000-8000-00805f9b34fb"
DESCRIPTION = "00002901-0000-1000-8000-00805f9b34fb"
REFUSED = b"\xff"

READ = GATTCharacteristicProperties.read
READABLE = GATTAttributePermissions.readable
WRITEABLE = GATTAttributePermissions.writeable


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def write(characteristic, value):
    tell("written", uuid=characteristic.uuid, value=bytes(value).hex())
    if bytes(value) == REFUSED:
        # How BlueZ takes an error of the application, 0x80.
        raise DBusError("org.bluez.Error.Failed", "0x80")
    characteristic.value = value


async def main():
    adapter = os.environ.get("BLEOTA_DEVICE", "hci1")
    server = BlessServer(name="bless-peer", loop=asyncio.get_running_loop(), adapter=adapter)
    server.read_request_func = lambda characteristic: characteristic.value
    server.write_request_func = write
    await server.add_new_service(SERVICE)
    await server.add_new_characteristic(
        SERVICE, TEXT, READ, bytearray(b"made with bless"), READABLE
    )
    await server.add_new_descriptor(
        SERVICE, TEXT, DESCRIPTION, GATTDescriptorProperties.read, bytearray(b"a text"), READABLE
    )
    await server.add_new_characteristic(
        SERVICE,
        WRITTEN,
        READ | GATTCharacteristicProperties.write,
        bytearray(b"\x00"),
        READABLE | WRITEABLE,
    )
    await server.add_new_characteristic(
        SERVICE,
        COMMANDED,
        GATTCharacteristicProperties.write_without_response,
        bytearray(b"\x00"),
        WRITEABLE,
    )
    await server.add_new_characteristic(
        SERVICE, TICKS, GATTCharacteristicProperties.notify, bytearray(b"\x00"), READABLE
    )
    await server.add_new_service(BATTERY_SERVICE)
    await server.add_new_characteristic(
        BATTERY_SERVICE, BATTERY, READ, bytearray(b"\x2a"), READABLE
    )
    await server.start()
    tell("advertising")
    tick = 0
    while True:
        await asyncio.sleep(0.25)
        tick = tick % 255 + 1
        server.get_characteristic(TICKS).value = bytearray([tick])
        server.update_value(SERVICE, TICKS)


asyncio.run(main())
