#!/usr/bin/env python3
"""A device: the firmware of a guide, built for this machine, with Bumble as its Bluetooth stack.

    stack.py AIR ADDRESS FOLDER FIRMWARE

AIR is the socket of a controller (scripts/guest/air.py), ADDRESS the static random address of the device,
FOLDER keeps its flash and its bonds. It prints a line of JSON for each thing that happens. SIGKILL is the
power cut: the firmware goes with this process, and what is in the folder is what the next start finds.

Service, characteristics, permissions and advertisements are what the firmware says of itself, over the line
of line.h. Of its own the stack does what Zephyr's and NimBLE's do: ATT, pairing, encryption, bonds.
"""
import asyncio
import collections
import json
import os
import socket
import struct
import subprocess
import sys

from bumble import att, gatt
from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address
from bumble.core import UUID
from bumble.keys import JsonKeyStore, MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.unix import open_unix_client_transport

ATT_MTU = 247
FIRMWARE_RESTARTS = 64
PAIRS, KEEPS_BONDS = 1, 2
ENCRYPTED_WRITE, ENCRYPTED_SUBSCRIPTION = 1, 2
ADVERTISING_INTERVAL_MS = 50
HEADER = struct.Struct("<BxH")
PARTITIONS = os.path.join(os.path.dirname(__file__), "../../../Embedded/Guides/esp-idf/partitions.csv")
PERMISSIONS = att.Attribute.Permissions


def say(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Line:
    """The line to the firmware, which runs as a child."""

    def __init__(self, firmware, folder):
        self.socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        descriptor = other.fileno()
        self.process = subprocess.Popen(
            [firmware],
            pass_fds=(descriptor,),
            env={
                **os.environ,
                "BLEOTA_LINE": str(descriptor),
                "BLEOTA_FLASH": f"{folder}/flash",
                "BLEOTA_PARTITIONS": PARTITIONS,
            },
        )
        other.close()

    def send(self, kind, number=0, data=b""):
        try:
            self.socket.send(HEADER.pack(ord(kind), number) + data)
        except OSError:
            # The firmware has ended; its reader finds out.
            pass

    def receive(self):
        message = self.socket.recv(1024)
        if not message:
            return None
        kind, number = HEADER.unpack_from(message)
        return chr(kind), number, message[HEADER.size :]


class Delegate(PairingDelegate):
    """Without keyboard and display."""

    def __init__(self, stack):
        super().__init__(PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT)
        self.stack = stack

    async def accept(self):
        return await self.stack.may_pair()


class Stack:
    def __init__(self, air, address, folder, firmware):
        self.air, self.address, self.folder = air, Address(address), folder
        self.line = Line(firmware, folder)
        self.characteristics = {}
        self.descriptions = []
        # Who waits for the firmware's answers, in their order.
        self.waiting = collections.deque()
        self.connection = None
        self.pairs = False

    async def run(self):
        """Until the firmware ends; returns its exit code."""
        loop = asyncio.get_running_loop()
        gone = loop.create_future()
        messages = asyncio.Queue()

        def read():
            message = self.line.receive()
            if message is None:
                loop.remove_reader(self.line.socket)
                gone.set_result(None)
            else:
                messages.put_nowait(message)

        loop.add_reader(self.line.socket, read)
        take = asyncio.ensure_future(self.take_messages(messages))
        await asyncio.wait((gone, take), return_when=asyncio.FIRST_COMPLETED)
        if take.done():
            take.result()
        return self.line.process.wait()

    async def take_messages(self, messages):
        actions = {
            "C": self.describe,
            "E": self.enable,
            "A": self.advertise,
            "R": self.take_answer,
            "N": self.notify,
            "D": self.delete_bond,
        }
        while True:
            kind, number, data = await messages.get()
            await actions[kind](number, data)

    # What the firmware says of itself

    async def describe(self, number, data):
        self.descriptions.append((number, UUID.from_bytes(data[:16]), data[16], data[17]))

    async def enable(self, options, uuid):
        self.pairs = bool(options & PAIRS)
        configuration = DeviceConfiguration(name="lamp", address=self.address)
        self.transport = await open_unix_client_transport(self.air)
        self.device = Device.from_config_with_hci(
            configuration, self.transport.source, self.transport.sink
        )
        self.device.gatt_server.max_mtu = ATT_MTU
        self.device.keystore = (
            JsonKeyStore(str(self.address), f"{self.folder}/bonds.json")
            if options & KEEPS_BONDS
            else MemoryKeyStore()
        )
        self.device.pairing_config_factory = lambda connection: PairingConfig(
            sc=True,
            mitm=False,
            bonding=True,
            delegate=Delegate(self),
            identity_address_type=PairingConfig.AddressType.RANDOM,
        )
        self.device.on(Device.EVENT_CONNECTION, self.on_connection)
        self.device.add_service(
            gatt.Service(UUID.from_bytes(uuid), [self.characteristic(*of) for of in self.descriptions])
        )
        for _, characteristic, _, encryption in self.descriptions:
            if encryption & ENCRYPTED_SUBSCRIPTION:
                self.protect_subscription(UUID.from_bytes(uuid), characteristic)
        await self.device.power_on()
        self.line.send("e")

    def characteristic(self, number, uuid, properties, encryption):
        permissions = PERMISSIONS(0)
        kinds = gatt.Characteristic.Properties
        if properties & kinds.READ:
            permissions |= PERMISSIONS.READABLE
        if properties & (kinds.WRITE | kinds.WRITE_WITHOUT_RESPONSE):
            permissions |= PERMISSIONS.WRITEABLE
        if encryption & ENCRYPTED_WRITE:
            permissions |= PERMISSIONS.WRITE_REQUIRES_ENCRYPTION

        async def read(connection):
            return await self.ask("r", number)

        async def write(connection, value):
            await self.ask("w", number, bytes(value))

        value = gatt.CharacteristicValue(read=read, write=write)
        made = gatt.Characteristic(uuid, kinds(properties), permissions, value)
        made.on(
            "subscription",
            lambda connection, notifies, indicates: self.line.send("s", int(notifies)),
        )
        self.characteristics[number] = made
        return made

    def protect_subscription(self, service, characteristic):
        descriptor = self.device.gatt_server.get_descriptor_attribute(
            service, characteristic, gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR
        )
        descriptor.permissions |= PERMISSIONS.WRITE_REQUIRES_ENCRYPTION

    async def advertise(self, length, data):
        say("advertising", advertisement=data[:length].hex(), answer=data[length:].hex())
        await self.device.start_advertising(
            advertising_data=data[:length],
            scan_response_data=data[length:],
            auto_restart=False,
            advertising_interval_min=ADVERTISING_INTERVAL_MS,
            advertising_interval_max=ADVERTISING_INTERVAL_MS,
        )

    # Links

    def on_connection(self, connection):
        say("connected", peer=str(connection.peer_address))
        self.connection = connection
        connection.on("disconnection", self.on_disconnection)
        connection.on("connection_att_mtu_update", lambda: self.line.send("m", connection.att_mtu))
        connection.on("connection_encryption_change", lambda: say("encrypted"))
        connection.on("pairing", lambda keys: say("paired"))
        self.line.send("c", connection.handle)

    def on_disconnection(self, reason):
        say("disconnected", reason=reason)
        self.connection = None
        self.line.send("d")

    async def may_pair(self):
        if not self.pairs:
            return False
        bond = await self.device.keystore.get(str(self.connection.peer_address))
        if bond is None:
            return True
        # Whether it may is the firmware's to say; it deletes the bond if so.
        self.line.send("p", self.connection.handle)
        for _ in range(50):
            await asyncio.sleep(0.02)
            if await self.device.keystore.get(str(self.connection.peer_address)) is None:
                return True
        return False

    async def delete_bond(self, number, data):
        await self.device.keystore.delete(str(self.connection.peer_address))

    # Values

    async def ask(self, kind, number, data=b""):
        answer = asyncio.get_running_loop().create_future()
        self.waiting.append(answer)
        self.line.send(kind, number, data)
        error, value = await answer
        if error != 0:
            raise att.ATT_Error(att.ErrorCode(error))
        return value

    async def take_answer(self, error, value):
        answer = self.waiting.popleft()
        if not answer.done():
            answer.set_result((error, value))

    async def notify(self, number, value):
        if self.connection is not None:
            await self.device.notify_subscriber(
                self.connection, self.characteristics[number], value, force=True
            )
        self.line.send("n")


async def main():
    air, address, folder, firmware = sys.argv[1:]
    say("started")
    code = await Stack(air, address, folder, firmware).run()
    if code == FIRMWARE_RESTARTS:
        say("restarting")
        # All of it begins anew, as after a reset; the link is lost with the socket.
        os.execv(sys.executable, [sys.executable, *sys.argv])
    sys.exit(f"the firmware ended with {code}")


if __name__ == "__main__":
    asyncio.run(main())
