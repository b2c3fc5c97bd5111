#!/usr/bin/env python3
"""An end of bleota over Bluetooth of which nothing is ours but its text: spec/minimal, with Bumble as
its stack.

    bumble_end.py --air SOCKET [OPTION…] device receive FOLDER     takes images
    bumble_end.py --air SOCKET [OPTION…] device answer IMAGE       sends IMAGE to a peer that asks for it
    bumble_end.py --air SOCKET [OPTION…] central send IMAGE        sends IMAGE to --peer
    bumble_end.py --air SOCKET [OPTION…] central request FOLDER    takes an image from --peer

SOCKET is that of a controller that takes a host of HCI, as scripts/guest/air.py has it. A device runs
until a signal. A central ends when its image is verified. The options are what real devices do.

Each line of the output is an event in JSON. As in bumble_shell.py, each link has a stack of its own,
and a lost link is a stack that goes away without a word.
"""
import argparse, asyncio, os, queue, sys, threading

from bumble import att, data_types, gatt
from bumble.core import UUID, AdvertisingData, BaseBumbleError
from bumble.device import Device, DeviceConfiguration, Peer
from bumble.hci import Address
from bumble.keys import MemoryKeyStore
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.transport.unix import open_unix_client_transport

import l2cap_packets
from end_faults import Faults, event

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "spec", "minimal"))
import receiver, sender

CONTROL, DATA = 0, 1
BYTE_COUNT_MAX = 512
ATT_HEADER_BYTES = 3
ADVERTISING_INTERVAL_MS = 50
# No radio notices earlier that its peer has gone. If a link ends at once, bluetoothd 5.66 dies in some
# runs, and Linux 6.1 oopses in others.
SUPERVISION_TIMEOUT_MIN_SECONDS = 0.1
SERVICE_CHANGED = UUID.from_16_bits(0x2A05)
GENERIC_ATTRIBUTE = UUID.from_16_bits(0x1801)
READ, WRITE, COMMAND, NOTIFY, INDICATE = (
    gatt.Characteristic.Properties.READ, gatt.Characteristic.Properties.WRITE,
    gatt.Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
    gatt.Characteristic.Properties.NOTIFY, gatt.Characteristic.Properties.INDICATE)


def uuid(number):
    return UUID(f"7a3d{number:04x}-5c1e-4f0b-9b6a-e2c49d0f2d11")


SERVICE, INFO, CONTROL_UUID, DATA_UUID, WITH_RESPONSE, DATA_OUT, L2CAP = map(uuid, range(1, 8))


class Link:
    """What spec/minimal takes for a link. Its ends run in threads, and the stack in an event loop."""

    def __init__(self, end):
        self.end, self.arrived, self.is_closed = end, queue.Queue(), threading.Event()

    @property
    def byteCountMax(self):
        if self.end.stream:
            return self.end.stream.byte_count_max
        return min(self.end.connection.att_mtu - ATT_HEADER_BYTES, BYTE_COUNT_MAX)

    def send(self, channel, frame):
        if self.is_closed.is_set():
            raise ConnectionError("the link is lost")
        if not self.end.passes(channel, frame):
            return
        sending = asyncio.run_coroutine_threadsafe(self.end.transmit(channel, frame), self.end.loop)
        while not sending.done() and not self.is_closed.wait(0.01):
            pass
        if not sending.done():
            raise ConnectionError("the link is lost")
        sending.result()

    def receive(self, seconds):
        try:
            arrived = self.arrived.get(timeout=max(seconds, 0.001))
        except queue.Empty:
            return None
        if arrived is None:
            self.arrived.put(None)
            raise ConnectionError("the link is lost")
        return arrived

    def take(self, channel, frame):
        if self.end.passes(channel, frame):
            self.arrived.put((channel, frame))

    def close(self):
        self.is_closed.set()
        self.arrived.put(None)


class End:
    """A stack from its start to the end of its first link."""

    def __init__(self, options, faults, bonds, transport, number):
        self.options, self.faults, self.number = options, faults, number
        self.loop = asyncio.get_running_loop()
        self.connection, self.ended = None, self.loop.create_future()
        self.link = Link(self)
        configuration = DeviceConfiguration(name=options.name, address=Address(options.address))
        self.stack = Device.from_config_with_hci(configuration, transport.source, transport.sink)
        self.stack.keystore = bonds
        self.is_verified = False
        self.stream = None

    def open_stream(self, channel):
        event("channel")
        self.stream = l2cap_packets.Stream(channel, self.link.take, self.finish)

    def passes(self, channel, frame):
        """Whether a frame passes; called by both threads."""
        fault = self.faults.takes(channel, frame)
        if fault:
            self.loop.call_soon_threadsafe(self.lose, fault)
            return False
        if self.faults.changes_interval():
            asyncio.run_coroutine_threadsafe(self.change_interval(), self.loop)
        if self.is_device and self.faults.changes_services():
            asyncio.run_coroutine_threadsafe(self.change_services(), self.loop)
        return True

    def finish(self, reason):
        if not self.ended.done():
            self.link.close()
            self.ended.set_result(reason)

    def on_connection(self, connection):
        self.connection = connection
        connection.on("disconnection", lambda _: self.finish("peer"))
        connection.on("connection_parameters_update", lambda: event("interval"))
        event("connected")
        if self.faults.reaches("connection"):
            self.loop.call_later(SUPERVISION_TIMEOUT_MIN_SECONDS, self.lose, "connection")

    def lose(self, phase):
        event("lost", phase=phase)
        self.finish("fault")

    async def change_interval(self):
        milliseconds = self.faults.next_interval()
        try:
            await self.connection.update_parameters(
                milliseconds, milliseconds, 0, 4000, use_l2cap=self.is_device)
        except (BaseBumbleError, asyncio.TimeoutError) as error:
            event("interval refused", why=str(error))

    def run_protocol(self):
        """In a thread of its own: one session after the other, until the link ends."""
        kind, path = self.options.kind, self.options.path
        try:
            while not self.link.is_closed.is_set():
                if kind in ("receive", "request"):
                    name = self.options.image_name if kind == "request" else None
                    self.is_verified = receiver.Receiver(self.link, path).run(name)
                    event("session over", verified=self.is_verified)
                else:
                    self.send_image(path, kind == "answer")
                if not self.is_device:
                    break
        except (ConnectionError, OSError) as error:
            event("link lost", why=str(error))
        self.loop.call_soon_threadsafe(self.protocol_ended)

    def send_image(self, path, answers):
        with open(path, "rb") as file:
            image = file.read()
        session = sender.requested(self.link, self.options.image_name) if answers else None
        sending = sender.Sender(self.link, image)
        if answers:
            sending.session = session
        try:
            sending.send()
        except sender.Ended as ending:
            self.is_verified = ending.args[0] == sender.VERIFIED
            event("session over", verified=self.is_verified, reason=ending.args[0])

    def protocol_ended(self):
        if not self.is_device:
            self.finish("verified" if self.is_verified else "failed")

    def start_protocol(self):
        threading.Thread(target=self.run_protocol, daemon=True).start()


class Peripheral(End):
    is_device = True

    def __init__(self, *arguments):
        super().__init__(*arguments)
        server = self.stack.gatt_server
        server.max_mtu = self.options.mtu
        if self.options.no_mtu_exchange:
            server.on_att_exchange_mtu_request = lambda *_: event("mtu exchange ignored")
        self.is_started = False
        self.stack.on(Device.EVENT_CONNECTION, self.on_connection)
        self.changed = gatt.Characteristic(
            SERVICE_CHANGED, INDICATE, att.Attribute.Permissions(0), b"")
        if self.options.change_services:
            self.stack.add_service(gatt.Service(GENERIC_ATTRIBUTE, [self.changed]))
        # The handles are others over each link.
        for index in range(3 * self.number if self.options.move_handles else 0):
            self.add_other(0x2000 + index)
        self.control = self.characteristic(CONTROL_UUID, WRITE | NOTIFY, CONTROL)
        self.out = self.characteristic(DATA_OUT, NOTIFY | INDICATE, None)
        self.control.on("subscription", lambda _, notifies, __: notifies and self.on_subscribed())
        self.stack.add_service(gatt.Service(SERVICE, [
            gatt.Characteristic(INFO, READ, att.Attribute.Permissions.READABLE, b"\x011.0.0"),
            self.control,
            self.characteristic(DATA_UUID, COMMAND, DATA),
            self.characteristic(WITH_RESPONSE, WRITE, DATA),
            self.out,
        ] + self.offer()))

    def offer(self):
        """The characteristic L2CAP, if this device has channels."""
        if not self.options.l2cap:
            return []
        server = self.stack.create_l2cap_server(
            LeCreditBasedChannelSpec(mtu=self.options.l2cap), self.on_channel)
        return [gatt.Characteristic(L2CAP, READ, att.Attribute.Permissions.READABLE,
                                    l2cap_packets.offer(server.psm))]

    def on_channel(self, channel):
        self.open_stream(channel)
        self.on_subscribed()

    def add_other(self, number):
        """A service that is of no use to the protocol."""
        value = gatt.Characteristic(
            UUID(f"7a3d{number:04x}-0000-4f0b-9b6a-e2c49d0f2d11"), READ,
            att.Attribute.Permissions.READABLE, b"x")
        self.stack.add_service(
            gatt.Service(UUID(f"7a3d{number:04x}-0001-4f0b-9b6a-e2c49d0f2d11"), [value]))

    def characteristic(self, name, properties, channel):
        async def write(connection, value):
            if self.options.needs_encryption and channel == CONTROL and not connection.is_encrypted:
                event("write refused")
                raise att.ATT_Error(att.ErrorCode.INSUFFICIENT_AUTHENTICATION)
            await asyncio.sleep(self.options.slow_ms / 1000)
            self.link.take(channel, bytes(value))

        permissions = att.Attribute.Permissions
        return gatt.Characteristic(name, properties, permissions.READABLE | permissions.WRITEABLE,
                                   gatt.CharacteristicValue(read=lambda _: b"", write=write))

    def on_subscribed(self):
        if self.faults.reaches("subscription"):
            return self.lose("subscription")
        if not self.is_started:
            self.is_started = True
            self.start_protocol()

    async def transmit(self, channel, frame):
        await asyncio.sleep(self.options.slow_ms / 1000)
        if self.faults.queue_is_full():
            return event("dropped")
        if self.stream:
            return await self.stream.send(channel, frame)
        await self.stack.gatt_server.notify_subscriber(
            self.connection, self.out if channel else self.control, frame, force=True)

    async def change_services(self):
        self.add_other(0x3000)
        event("services changed")
        await self.stack.gatt_server.indicate_subscriber(
            self.connection, self.changed, b"\x01\x00\xff\xff", force=True)

    async def run(self):
        flags = AdvertisingData.Flags
        fields = [data_types.Flags(flags.LE_GENERAL_DISCOVERABLE_MODE | flags.BR_EDR_NOT_SUPPORTED),
                  data_types.CompleteListOf128BitServiceUUIDs([SERVICE])]
        answer = AdvertisingData([data_types.CompleteLocalName(self.options.name)])
        await self.stack.power_on()
        await self.stack.start_advertising(
            advertising_data=bytes(AdvertisingData(fields)), scan_response_data=bytes(answer),
            auto_restart=False, advertising_interval_min=ADVERTISING_INTERVAL_MS,
            advertising_interval_max=ADVERTISING_INTERVAL_MS)
        event("advertising")
        return await self.ended


class Central(End):
    is_device = False

    async def run(self):
        await self.stack.power_on()
        peer_address = Address(self.options.peer, Address.PUBLIC_DEVICE_ADDRESS)
        self.on_connection(await self.stack.connect(peer_address, timeout=30))
        peer = Peer(self.connection)
        if not self.options.no_mtu_exchange:
            await peer.request_mtu(self.options.mtu)
        # The application may not have published its service yet.
        services = await peer.discover_service(SERVICE)
        if not services:
            return "failed"
        await services[0].discover_characteristics()
        self.found = {each.uuid: each for each in services[0].characteristics}
        if self.options.l2cap:
            psm = l2cap_packets.psm_of(await self.found[L2CAP].read_value())
            self.open_stream(await self.connection.create_l2cap_channel(
                LeCreditBasedChannelSpec(psm=psm, mtu=self.options.l2cap)))
            self.start_protocol()
            return await self.ended
        if self.options.kind == "request":
            await self.found[DATA_OUT].subscribe(lambda value: self.hear(DATA, value))
        await self.found[CONTROL_UUID].subscribe(lambda value: self.hear(CONTROL, value))
        if self.faults.reaches("subscription"):
            self.lose("subscription")
            return "fault"
        self.start_protocol()
        return await self.ended

    def hear(self, channel, value):
        self.loop.call_later(self.options.slow_ms / 1000, self.link.take, channel, bytes(value))

    async def transmit(self, channel, frame):
        await asyncio.sleep(self.options.slow_ms / 1000)
        if self.stream:
            return await self.stream.send(channel, frame)
        with_response = channel == CONTROL
        characteristic = self.found[DATA_UUID if channel else CONTROL_UUID]
        await characteristic.write_value(frame, with_response=with_response)


async def serve(options):
    faults, bonds, number = Faults(options), MemoryKeyStore(), 0
    kind = Peripheral if options.role == "device" else Central
    while True:
        transport = await open_unix_client_transport(options.air)
        end = kind(options, faults, bonds, transport, number)
        try:
            reason = await end.run()
        except (BaseBumbleError, OSError, asyncio.TimeoutError) as error:
            reason = f"{type(error).__name__}: {error}"
        finally:
            end.finish("over")
            await transport.close()
        event("disconnected", by=reason)
        if reason == "verified":
            return
        number += 1
        # The other end hears of a lost link a moment later.
        await asyncio.sleep(0.5)


def main():
    parser = argparse.ArgumentParser(description="An end of bleota with Bumble as its stack.")
    parser.add_argument("role", choices=("device", "central"))
    parser.add_argument("kind", choices=("receive", "answer", "send", "request"))
    parser.add_argument("path")
    parser.add_argument("--air", metavar="SOCKET", required=True)
    parser.add_argument("--address", default="C2:00:00:00:05:01", help="static random address")
    parser.add_argument("--name", default="sensor")
    parser.add_argument("--peer", default="00:AA:01:01:00:01", help="a central's device")
    parser.add_argument("--image-name", default="image.bin")
    parser.add_argument("--mtu", type=int, default=247, help="the highest ATT_MTU")
    parser.add_argument("--l2cap", metavar="MTU", type=int, default=0,
                        help="has channels of L2CAP, whose SDUs have so many bytes")
    parser.add_argument("--no-mtu-exchange", action="store_true",
                        help="a device never answers the exchange, a central never asks for one")
    parser.add_argument("--lose-at", metavar="PHASE", action="append", default=[],
                        help="loses a link in this phase, one link for each")
    parser.add_argument("--queue", type=int, default=0,
                        help="has room for so many notifications in half a second, and drops all others")
    parser.add_argument("--slow-ms", type=int, default=0, help="takes so long for each answer")
    parser.add_argument("--change-interval", action="store_true", help="now and then")
    parser.add_argument("--change-services", action="store_true", help="once, in mid-transfer")
    parser.add_argument("--move-handles", action="store_true", help="with each link")
    parser.add_argument("--needs-encryption", action="store_true", help="for writes of Control")
    options = parser.parse_args()
    if options.kind in ("receive", "request"):
        os.makedirs(options.path, exist_ok=True)
    asyncio.run(serve(options))


if __name__ == "__main__":
    main()
