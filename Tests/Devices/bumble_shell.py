#!/usr/bin/env python3
"""Serves one of the devices over Bluetooth, with Bumble as its stack.

    bumble_shell.py --air SOCKET --address ADDRESS --name NAME --device KIND [-- OPTION…]

SOCKET is that of a controller that takes a host of HCI, as scripts/guest/air.py has it. ADDRESS is
a static random address; a bootloader may have the one after it. KIND is smp, secure, legacy or
esp, and the options are those of that device. The events are those of gatt_socket.py, but for
"advertising", which comes each time that the device can be found.

Each link has a stack of its own. A lost link is a stack that goes away without a word: the other
end then sees a supervision timeout. A device that restarts ends its link first, as bootloaders do,
and comes back with what it then is: another address, and other services.
"""
import argparse, asyncio, importlib, time

from bumble import att, data_types, gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.hci import Address, HCI_Error
from bumble.transport.unix import open_unix_client_transport

import gatt_socket

# The modules. Only one is imported, since some of them take long.
DEVICES = {"smp": "smp_device", "secure": "secure_dfu_device", "legacy": "legacy_dfu_device",
           "esp": "esp_ota_device"}
ATT_MTU_MIN = 23
ADVERTISING_INTERVAL_MS = 50
DISCONNECTION_SECONDS = 5
SIG_UUID_END = gatt_socket.uuid16(0)[8:]

KINDS = {"read": gatt.Characteristic.Properties.READ,
         "write": gatt.Characteristic.Properties.WRITE,
         "write-without-response": gatt.Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
         "notify": gatt.Characteristic.Properties.NOTIFY,
         "indicate": gatt.Characteristic.Properties.INDICATE}


def uuid(text):
    """In 16 bits where the Bluetooth SIG has given it out, as devices have it in their tables."""
    if text.startswith("0000") and text.endswith(SIG_UUID_END):
        return UUID.from_16_bits(int(text[:8], 16))
    return UUID(text)


class Link:
    """A stack from when it starts to advertise to when its first link ends."""

    def __init__(self, shell, transport):
        self.shell, self.device, self.attributes = shell, shell.device, shell.attributes
        self.loop = asyncio.get_running_loop()
        self.connection, self.ended = None, self.loop.create_future()
        self.connected, self.wakes = asyncio.Event(), asyncio.Event()
        self.characteristics = {}
        configuration = DeviceConfiguration(name=shell.name, address=Address(self.device.address))
        self.stack = Device.from_config_with_hci(configuration, transport.source, transport.sink)
        self.stack.gatt_server.max_mtu = shell.att_mtu
        # Bumble's own doesn't tell the value of a command from that of a request.
        self.stack.gatt_server.on_att_write_command = self.on_command
        for service, characteristics in self.device.services.items():
            made = [self.characteristic(*each) for each in characteristics.items()]
            self.stack.add_service(gatt.Service(uuid(service), made))
        self.stack.on(Device.EVENT_CONNECTION, self.on_connection)

    async def run(self):
        """Returns who ended the link: "host", "device", or "fault"."""
        await self.stack.power_on()
        await self.stack.start_advertising(
            advertising_data=self.advertisement(), scan_response_data=self.answer(),
            auto_restart=False, advertising_interval_min=ADVERTISING_INTERVAL_MS,
            advertising_interval_max=ADVERTISING_INTERVAL_MS)
        self.shell.output.event("advertising", address=self.device.address)
        worker = asyncio.ensure_future(self.work())
        await asyncio.wait((self.ended, worker), return_when=asyncio.FIRST_COMPLETED)
        reason = self.ended.result() if self.ended.done() else worker.result()
        worker.cancel()
        if reason == "device":
            await self.disconnect()
        return reason

    def characteristic(self, name, properties):
        def read(connection):
            value, error = self.attributes.read(name)
            return self.answered(error) or value

        def write(connection, value):
            self.answered(self.attributes.write(name, bytes(value)))

        kinds = gatt.Characteristic.Properties(0)
        for each in properties:
            kinds |= KINDS[each]
        permissions = att.Attribute.Permissions
        made = gatt.Characteristic(uuid(name), kinds, permissions.READABLE | permissions.WRITEABLE,
                                   gatt.CharacteristicValue(read=read, write=write))
        made.on("subscription", lambda _, notifies, indicates:
                self.on_subscription(name, notifies or indicates))
        self.characteristics[name] = made
        return made

    def advertisement(self):
        flags = AdvertisingData.Flags
        services = [uuid(service) for service in self.device.services]
        short = [each for each in services if len(each.to_bytes()) == 2]
        long = [each for each in services if len(each.to_bytes()) != 2]
        fields = [data_types.Flags(flags.LE_GENERAL_DISCOVERABLE_MODE
                                   | flags.BR_EDR_NOT_SUPPORTED)]
        if short:
            fields.append(data_types.CompleteListOf16BitServiceUUIDs(short))
        if long:
            fields.append(data_types.CompleteListOf128BitServiceUUIDs(long))
        return bytes(AdvertisingData(fields))

    def answer(self):
        return bytes(AdvertisingData([data_types.CompleteLocalName(self.shell.name)]))

    # What the link does

    def on_connection(self, connection):
        self.connection = connection
        connection.on("disconnection", lambda _: self.end("host"))
        connection.on("connection_att_mtu_update", self.on_mtu)
        self.device.att_mtu = ATT_MTU_MIN
        self.shell.begin()
        self.connected.set()

    def on_mtu(self):
        self.device.att_mtu = self.connection.att_mtu

    def on_command(self, _, request):
        for name, characteristic in self.characteristics.items():
            if characteristic.handle == request.attribute_handle:
                self.device.now = time.monotonic()
                self.attributes.command(name, bytes(request.attribute_value))
        self.took()

    def on_subscription(self, name, is_on):
        if is_on:
            self.attributes.subscribe(name)
        else:
            self.device.subscriptions.discard(name)
        self.took()

    def answered(self, error):
        """Refuses what the device refused."""
        self.took()
        if error is not None:
            raise att.ATT_Error(att.ErrorCode(error))

    def took(self):
        self.device.now = time.monotonic()
        self.shell.output.flush_events()
        if self.shell.faults.loses_link(self.device):
            self.end("fault")
        self.wakes.set()

    def end(self, reason):
        if not self.ended.done():
            self.ended.set_result(reason)

    # What the device does

    async def work(self):
        """Sends what the device has to say. What has arrived goes first, and then its work."""
        notifications = self.device.notifications
        await self.connected.wait()
        while True:
            # What has arrived is taken meanwhile.
            await asyncio.sleep(0)
            self.device.now = time.monotonic()
            if notifications:
                delay = notifications[0].delay_milliseconds + self.shell.faults.slow_milliseconds
                await asyncio.sleep(delay / 1000)
                await self.send(notifications.popleft())
            elif self.device.is_leaving:
                return "device"
            else:
                self.wakes.clear()
                worked = self.device.step()
                self.shell.output.flush_events()
                if self.shell.faults.loses_link(self.device):
                    return "fault"
                if not worked and not notifications and not self.device.is_leaving:
                    await self.wakes.wait()

    async def send(self, notification):
        value = self.attributes.notified(notification)
        if value is None:
            return self.shell.output.flush_events()
        characteristic = self.characteristics[notification.characteristic]
        indicates = characteristic.properties & KINDS["indicate"]
        server = self.stack.gatt_server
        send = server.indicate_subscriber if indicates else server.notify_subscriber
        await send(self.connection, characteristic, value, force=True)

    async def disconnect(self):
        try:
            await asyncio.wait_for(self.connection.disconnect(), DISCONNECTION_SECONDS)
        except (HCI_Error, TimeoutError, asyncio.TimeoutError):
            pass  # The host was faster.


class BumbleShell:
    """Serves a device, one link after the other, until a signal."""

    def __init__(self, device, options, name):
        self.device, self.name, self.air = device, name, options.socket
        self.output = gatt_socket.Output(device, options.flash)
        self.faults = gatt_socket.Faults(options)
        self.attributes = gatt_socket.Attributes(device, self.faults)
        self.att_mtu = device.att_mtu

    async def run(self):
        while True:
            transport = await open_unix_client_transport(self.air)
            try:
                reason = await Link(self, transport).run()
            finally:
                await transport.close()
            self.device.notifications.clear()
            self.device.disconnected()
            self.output.flush_events()
            self.output.event("disconnected", by=reason)
            await asyncio.sleep(self.device.away_milliseconds / 1000)
            self.device.away_milliseconds = 0

    def begin(self):
        """A host has connected."""
        self.device.is_leaving = False
        self.device.subscriptions.clear()
        self.device.notifications.clear()
        self.device.now = time.monotonic()
        self.device.connected()
        self.output.event("connected", address=self.device.address)


def main():
    parser = argparse.ArgumentParser(description="Serves a device with Bumble as its stack.")
    parser.add_argument("--air", metavar="SOCKET", required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--device", choices=DEVICES, required=True)
    parser.add_argument("options", nargs="*", help="of the device, after --")
    options = parser.parse_args()
    gatt_socket.Device.address = options.address

    def serve(device, device_options):
        shell = BumbleShell(device, device_options, options.name)
        gatt_socket.ends_by_signal(shell.output)
        asyncio.run(shell.run())

    module = importlib.import_module(DEVICES[options.device])
    module.main(["--socket", options.air, *options.options], serve)


if __name__ == "__main__":
    main()
