#!/usr/bin/env python3
"""A device with Espressif's OTA over Bluetooth LE.

    esp_ota_device.py --socket PATH  [options]

The facts are from the README of esp-iot-solution's examples/bluetooth/ble_ota ("ESP BLE OTA Demo
description"), from the page "BLE OTA Profile" and the changelog of the component ble_ota_raw
(the window of sectors), and from ESP-AT's page "How to Implement Bluetooth LE OTA Upgrade".

What these leave open is as in that component's nimble_ota.c, without code from there: the last
sector may be short, or filled with zeros to 4,096 bytes, and its index may be its own or 0xFFFF,
which the component takes as well. A packet out of sequence is ignored; the sector then has the
wrong length. CRC-16 has the polynomial 0x1021 and begins with 0.
"""
import binascii, hashlib, struct

from gatt_socket import Device, parser, serve, uuid16

SERVICE = uuid16(0x8018)
FIRMWARE, PROGRESS, COMMAND, CUSTOMER = map(uuid16, (0x8020, 0x8021, 0x8022, 0x8023))

START, STOP, ANSWER = 1, 2, 3
ACCEPTED, REJECTED = 0, 1
SUCCESS, CRC_ERROR, SECTOR_ERROR, LENGTH_ERROR = range(4)
SECTOR_BYTE_COUNT, LAST_PACKET, LAST_SECTOR = 4096, 0xFF, 0xFFFF


def sealed(data):
    """20 bytes: the data, zeros, and the CRC of both."""
    data = data.ljust(18, b"\0")
    return data + struct.pack("<H", binascii.crc_hqx(data, 0))


class ESPDevice(Device):
    def __init__(self, options):
        super().__init__(options.mtu, options.seed)
        self.options = options
        self.flash = b"the application that was there"
        writes = ["write", "write-without-response"] if options.commands else ["write"]
        says = "indicate" if options.indicate else "notify"
        self.services = {SERVICE: {FIRMWARE: [*writes, says], PROGRESS: ["read", says],
                                   COMMAND: [*writes, says], CUSTOMER: [*writes, says]}}
        self.lose_ack_at, self.crc_error_at = set(options.lose_ack_at), set(options.crc_error_at)
        self.firmware_size = None
        self.data = bytearray()
        self.begin_sector()

    def begin_sector(self):
        self.sector, self.sequence = bytearray(), 0

    @property
    def sector_index(self):
        return -(-len(self.data) // SECTOR_BYTE_COUNT)

    def disconnected(self):
        self.firmware_size = None
        self.begin_sector()

    def read(self, characteristic):
        share = len(self.data) * 100 // self.firmware_size if self.firmware_size else 0
        return struct.pack("<H", share)

    def written(self, characteristic, value, with_response):
        if characteristic == COMMAND:
            self.take_command(value)
        elif characteristic == FIRMWARE:
            self.take_packet(value)

    # Commands

    def take_command(self, value):
        command = struct.unpack_from("<H", value)[0] if len(value) >= 2 else None
        if len(value) != 20 or sealed(value[:18]) != value:
            self.violation("A command hasn't 20 bytes with their CRC.")
            return self.answer(command or 0, REJECTED)
        if command == START:
            self.start(struct.unpack_from("<I", value, 2)[0])
        elif command == STOP:
            self.stop()
        else:
            self.answer(command, REJECTED)

    def answer(self, command, status, window=0):
        self.notify(COMMAND, sealed(struct.pack("<HHHB", ANSWER, command, status, window)),
                    self.options.erase_ms if command == START and status == ACCEPTED else 0)

    def start(self, size):
        if size == 0 or self.options.full or size > (self.options.flash_size or 1 << 21):
            self.say("refused", length=size)
            return self.answer(START, REJECTED)
        if not self.options.keeps_sectors or len(self.data) >= size:
            self.data.clear()
        self.firmware_size = size
        self.begin_sector()
        self.say("started", length=size, sector=self.sector_index)
        self.answer(START, ACCEPTED, self.options.window)

    def stop(self):
        self.answer(STOP, ACCEPTED)
        is_whole = self.firmware_size == len(self.data) and self.data
        self.firmware_size = None
        if is_whole:
            self.activate()
        else:
            self.data.clear()
            self.say("stopped")

    def activate(self):
        self.flash = bytes(self.data)
        self.data.clear()
        self.say("activated", sha256=hashlib.sha256(self.flash).hexdigest(),
                 length=len(self.flash))
        self.say("reset")
        self.leave(self.options.reset_ms)

    # Firmware

    def take_packet(self, value):
        if self.firmware_size is None:
            return self.violation("Firmware arrives before an OTA is started.")
        if len(value) < 4:
            return self.violation("A packet holds no firmware.")
        if len(self.data) == self.firmware_size:
            return self.acknowledge(struct.unpack_from("<H", value)[0], SECTOR_ERROR)
        index, sequence = struct.unpack_from("<HB", value)
        self.firmware_byte_count += len(value) - 3
        if index != self.sector_index and not (index == LAST_SECTOR and self.is_last()):
            return self.acknowledge(index, SECTOR_ERROR)
        if sequence == self.sequence and sequence != LAST_PACKET:
            self.sequence += 1
            self.sector += value[3:]
        elif sequence == LAST_PACKET:
            self.sector += value[3:]
            self.finish_sector(index)

    def is_last(self):
        return len(self.data) + SECTOR_BYTE_COUNT >= self.firmware_size

    def finish_sector(self, index):
        data, crc = bytes(self.sector[:-2]), bytes(self.sector[-2:])
        self.begin_sector()
        left = min(self.firmware_size - len(self.data), SECTOR_BYTE_COUNT)
        if len(data) not in (left, SECTOR_BYTE_COUNT) or any(data[left:]):
            return self.acknowledge(index, LENGTH_ERROR)
        number = self.sector_index
        if number in self.crc_error_at:
            self.crc_error_at.remove(number)
            self.say("damaged", sector=number)
            return self.acknowledge(index, CRC_ERROR)
        if struct.pack("<H", binascii.crc_hqx(data, 0)) != crc:
            return self.acknowledge(index, CRC_ERROR)
        self.data += data[:left]
        if number in self.lose_ack_at:
            self.lose_ack_at.remove(number)
            self.say("dropped", what="acknowledgement", sector=number)
        else:
            self.acknowledge(index, SUCCESS)
        if len(self.data) == self.firmware_size:
            self.say("complete", sha256=hashlib.sha256(self.data).hexdigest(),
                     length=len(self.data))
            if self.options.restart_without_stop:
                self.activate()

    def acknowledge(self, index, status):
        if status != SUCCESS:
            self.say("refused", sector=index, status=status, expected=self.sector_index)
        wanted = 0 if status == SUCCESS else self.sector_index
        self.notify(FIRMWARE, sealed(struct.pack("<HHH", index, status, wanted)))


def options_parser():
    options = parser("A device with Espressif's OTA.")
    options.add_argument("--commands", action="store_true",
                         help="it also takes writes without response")
    options.add_argument("--indicate", action="store_true", help="instead of notifications")
    options.add_argument("--window", type=int, default=0, metavar="SECTORS",
                         help="what the answer to a start recommends; 0 as older devices")
    options.add_argument("--lose-ack-at", type=int, action="append", default=[], metavar="SECTOR",
                         help="once; may be repeated")
    options.add_argument("--crc-error-at", type=int, action="append", default=[],
                         metavar="SECTOR", help="once; may be repeated")
    options.add_argument("--keeps-sectors", action="store_true",
                         help="over a lost link: it then asks for the sector that it needs")
    options.add_argument("--restart-without-stop", action="store_true",
                         help="after the last sector")
    options.add_argument("--erase-ms", type=int, default=0, help="before a start is answered")
    options.add_argument("--reset-ms", type=int, default=0, help="how long a reset takes")
    options.add_argument("--full", action="store_true", help="no firmware is small enough")
    return options


def main(arguments=None, serve=serve):
    options = options_parser().parse_args(arguments)
    serve(ESPDevice(options), options)


if __name__ == "__main__":
    main()
