#!/usr/bin/env python3
"""A device with Nordic's Secure DFU: an application with the buttonless service, and a bootloader.

    secure_dfu_device.py --socket PATH  [options]

The facts are from the nRF5 SDK, versions 14 to 17, in public mirrors: its headers
nrf_dfu_req_handler.h, nrf_dfu_handling_error.h and ble_dfu.h, and, for what happens in each state,
nrf_dfu_req_handler.c, nrf_dfu_validation.c, nrf_dfu_ver_validation.c and nrf_dfu_ble.c. Exchanges
in bytes are in DevZone's threads 48867, 51866 and 101348, which quote Nordic's page "DFU
transport: BLE". No code is from there.

The bootloader keeps its state over a lost link: the objects that were executed, and what has
arrived of the current one. A reset keeps the init packet only.

`--flash FILE` has the application, FILE.softdevice and FILE.bootloader the others.
"""
import hashlib, struct, zlib

import init_packet
from gatt_socket import CCCD_IMPROPER, Device, after, parser, serve, uuid16
from init_packet import (APPLICATION, BOOTLOADER, ECDSA_P256_SHA256, SHA256, SOFTDEVICE,
                         SOFTDEVICE_BOOTLOADER, InitPacket, Malformed)

SERVICE = uuid16(0xFE59)
CONTROL_POINT = "8ec90001-f315-4f60-9fb8-838830daea50"
PACKET = "8ec90002-f315-4f60-9fb8-838830daea50"
BUTTONLESS = "8ec90003-f315-4f60-9fb8-838830daea50"
BUTTONLESS_BONDED = "8ec90004-f315-4f60-9fb8-838830daea50"

# Requests of the control point
(VERSION, CREATE, SET_RECEIPTS, CHECKSUM, EXECUTE, _, SELECT, MTU, _, PING, HARDWARE, FIRMWARE,
 ABORT) = range(13)
RESPONSE = 0x60
COMMAND_OBJECT, DATA_OBJECT = 1, 2
COMMAND_SIZE_MAX, PAGE_SIZE = 512, 4096

# Results
SUCCESS, NOT_SUPPORTED, INVALID_PARAMETER, NO_RESOURCES, INVALID_OBJECT = 1, 2, 3, 4, 5
UNSUPPORTED_TYPE, NOT_PERMITTED, FAILED, EXTENDED = 7, 8, 10, 11

# Extended errors
INIT_INVALID, FIRMWARE_VERSION, HARDWARE_VERSION, SOFTDEVICE_VERSION = 4, 5, 6, 7
SIGNATURE_MISSING, HASH_TYPE, SIGNATURE_TYPE, VERIFICATION_FAILED = 8, 9, 11, 12

# The buttonless service
ENTER, SET_NAME, BUTTONLESS_RESPONSE = 1, 2, 0x20
BUTTONLESS_SUCCESS, BUTTONLESS_NOT_SUPPORTED, NAME_INVALID = 1, 2, 5
NAME_BYTE_COUNT_MAX = 20

LENGTHS = {CREATE: 6, SET_RECEIPTS: 3, SELECT: 2}  # of requests, where they matter


class Refusal(Exception):
    def __init__(self, result, extended=None):
        self.result, self.extended = result, extended


class SecureDFUDevice(Device):
    def __init__(self, options, key=None):
        super().__init__(options.mtu, options.seed)
        self.options, self.key = options, key
        self.application_address = self.address
        self.is_bootloader = options.in_bootloader
        self.flash = b"the application that was there"
        self.parts = {"softdevice": b"", "bootloader": b""}
        self.versions = {APPLICATION: options.firmware_version,
                         BOOTLOADER: options.bootloader_version}
        self.wrong_crc_at = set(options.wrong_crc_at)
        self.receipt_target = self.receipt_count = 0
        self.kind = COMMAND_OBJECT
        self.forget_all()
        self.appear()

    def files(self):
        return {"": bytes(self.flash), ".softdevice": self.parts["softdevice"],
                ".bootloader": self.parts["bootloader"]}

    # What is seen of it

    def appear(self):
        """Takes the address and the services of the mode."""
        if self.is_bootloader:
            step = 0 if self.options.bonded else 1
            self.address = after(self.application_address, step)
            self.services = {SERVICE: {CONTROL_POINT: ["write", "notify"],
                                       PACKET: ["write-without-response"]}}
        else:
            self.address = self.application_address
            name = BUTTONLESS_BONDED if self.options.bonded else BUTTONLESS
            self.services = {SERVICE: {name: ["write", "indicate"]}}

    def disconnected(self):
        self.appear()

    def reset(self, is_bootloader):
        self.say("reset", bootloader=is_bootloader)
        self.is_bootloader = is_bootloader
        self.receipt_target = self.receipt_count = 0
        self.data, self.executed_byte_count, self.object_size = bytearray(), 0, 0
        self.leave(self.options.reset_ms)

    def written(self, characteristic, value, with_response):
        if characteristic == PACKET:
            return self.take_packet(value)
        if characteristic not in self.subscriptions:
            return CCCD_IMPROPER
        if not value:
            return self.violation("A request is empty.")
        if characteristic == CONTROL_POINT:
            self.take_request(value[0], value)
        else:
            self.take_buttonless(characteristic, value)

    # The application

    def take_buttonless(self, characteristic, value):
        if value[0] == ENTER and len(value) == 1:
            self.notify(characteristic, [BUTTONLESS_RESPONSE, ENTER, BUTTONLESS_SUCCESS])
            return self.reset(is_bootloader=True)
        result = BUTTONLESS_NOT_SUPPORTED
        if value[0] == SET_NAME and not self.options.bonded:
            is_valid = len(value) > 2 and value[1] == len(value) - 2 <= NAME_BYTE_COUNT_MAX
            result = BUTTONLESS_SUCCESS if is_valid else NAME_INVALID
            if is_valid:
                self.say("name", name=value[2:].decode(errors="replace"))
        self.notify(characteristic, [BUTTONLESS_RESPONSE, value[0], result])

    # The bootloader

    def forget_all(self):
        """No init packet, no firmware."""
        self.command, self.command_size, self.packet = bytearray(), 0, None
        self.data, self.executed_byte_count, self.object_size = bytearray(), 0, 0

    def take_request(self, request, value):
        handlers = {VERSION: self.version, CREATE: self.create, SET_RECEIPTS: self.set_receipts,
                    CHECKSUM: self.checksum, EXECUTE: self.execute, SELECT: self.select,
                    MTU: self.tell_mtu, PING: self.ping, HARDWARE: self.hardware,
                    FIRMWARE: self.firmware, ABORT: self.abort}
        try:
            if request not in handlers:
                raise Refusal(NOT_SUPPORTED)
            if len(value) != LENGTHS.get(request, len(value)):
                raise Refusal(INVALID_PARAMETER)
            self.respond(request, SUCCESS, handlers[request](value) or b"")
        except Refusal as refusal:
            extended = b"" if refusal.extended is None else bytes([refusal.extended])
            self.respond(request, refusal.result, extended)
            self.say("refused", request=request, result=refusal.result,
                     extended=refusal.extended)
        if request == EXECUTE:
            self.finish_if_whole()

    def respond(self, request, result, payload=b""):
        self.notify(CONTROL_POINT, bytes([RESPONSE, request, result]) + payload)

    def account(self, data):
        return struct.pack("<II", len(data), zlib.crc32(data))

    def current(self):
        return self.command if self.kind == COMMAND_OBJECT else self.data

    def select(self, value):
        if value[1] not in (COMMAND_OBJECT, DATA_OBJECT):
            raise Refusal(INVALID_OBJECT)
        self.kind = value[1]
        size = COMMAND_SIZE_MAX if self.kind == COMMAND_OBJECT else self.options.object_size
        return struct.pack("<I", size) + self.account(self.current())

    def create(self, value):
        kind, size = struct.unpack("<BI", value[1:])
        self.receipt_count = self.receipt_target
        if kind not in (COMMAND_OBJECT, DATA_OBJECT):
            raise Refusal(UNSUPPORTED_TYPE)
        self.kind = kind
        if kind == COMMAND_OBJECT:
            self.create_command(size)
        else:
            self.create_data(size)

    def create_command(self, size):
        if size == 0:
            raise Refusal(INVALID_PARAMETER)
        if size > COMMAND_SIZE_MAX:
            raise Refusal(NO_RESOURCES)
        self.forget_all()
        self.command_size = size

    def create_data(self, size):
        if self.packet is None:
            raise Refusal(NOT_PERMITTED)
        end = self.executed_byte_count + size
        page_size = min(PAGE_SIZE, self.options.object_size)
        if size == 0 or size % page_size and end != self.packet.byte_count():
            raise Refusal(INVALID_PARAMETER)
        if size > self.options.object_size:
            raise Refusal(NO_RESOURCES)
        if end > self.packet.byte_count():
            raise Refusal(NOT_PERMITTED)
        if end > self.options.flash_left:
            raise Refusal(NO_RESOURCES)
        del self.data[self.executed_byte_count:]
        self.object_size = size

    def take_packet(self, value):
        """Data for the current object. It is answered only where a receipt is due."""
        result = SUCCESS
        if self.kind == COMMAND_OBJECT:
            if len(self.command) + len(value) > self.command_size or self.packet is not None:
                self.violation("There is more of the init packet than its object holds.")
                result = INVALID_PARAMETER
            else:
                self.command += value
        else:
            result = self.take_data(value)
        if self.receipt_target:
            self.receipt_count -= 1
            if self.receipt_count == 0:
                self.receipt_count = self.receipt_target
                is_right = result == SUCCESS
                self.respond(CHECKSUM, result, self.account(self.current()) if is_right else b"")

    def take_data(self, value):
        arrived = len(self.data) - self.executed_byte_count
        if self.packet is None:
            self.violation("Firmware arrives before an init packet was accepted.")
            return NOT_PERMITTED
        if arrived + len(value) > self.object_size:
            self.violation("There is more firmware than its object holds.")
            return INVALID_PARAMETER
        self.firmware_byte_count += len(value)
        if self.options.drop_packets and self.dice.random() < self.options.drop_packets:
            self.say("dropped", what="packet", length=len(value))
            return SUCCESS
        number = self.executed_byte_count // self.options.object_size
        if number in self.wrong_crc_at and value:
            self.wrong_crc_at.remove(number)
            value = bytes([value[0] ^ 1]) + value[1:]
            self.say("damaged", object=number)
        self.data += value
        return SUCCESS

    def set_receipts(self, value):
        self.receipt_target = self.receipt_count = struct.unpack("<H", value[1:])[0]

    def checksum(self, value):
        return self.account(self.current())

    def execute(self, value):
        if self.kind == COMMAND_OBJECT:
            return self.execute_command()
        if self.packet is None:
            raise Refusal(NOT_PERMITTED)
        if len(self.data) - self.executed_byte_count != self.object_size:
            raise Refusal(NOT_PERMITTED)
        self.executed_byte_count, self.object_size = len(self.data), 0
        is_whole = len(self.data) == self.packet.byte_count()
        if is_whole and hashlib.sha256(self.data).digest() != self.packet.hash:
            self.forget_all()
            raise Refusal(EXTENDED, VERIFICATION_FAILED)

    def execute_command(self):
        if len(self.command) != self.command_size or not self.command_size:
            raise Refusal(NOT_PERMITTED)
        if self.packet is not None:
            return
        try:
            packet = InitPacket(self.command)
        except Malformed as error:
            self.forget_all()
            self.violation(f"The init packet can't be read: {error}.")
            raise Refusal(INVALID_OBJECT) from None
        try:
            self.check_signature(packet)
            self.check_versions(packet)
            if packet.byte_count() is None:
                raise Refusal(EXTENDED, INIT_INVALID)
            if self.options.full or packet.byte_count() > (self.options.flash_size or 1 << 20):
                raise Refusal(NO_RESOURCES)
        except Refusal:
            self.forget_all()
            raise
        self.packet = packet
        self.say("accepted", type=packet.type, length=packet.byte_count())

    def check_signature(self, packet):
        if self.key is None:
            return
        if packet.signature is None:
            raise Refusal(EXTENDED, SIGNATURE_MISSING)
        if packet.signature_type != ECDSA_P256_SHA256:
            raise Refusal(EXTENDED, SIGNATURE_TYPE)
        if not init_packet.is_signed_by(packet, self.key):
            raise Refusal(INVALID_OBJECT)

    def check_versions(self, packet):
        if packet.type not in (APPLICATION, SOFTDEVICE, BOOTLOADER, SOFTDEVICE_BOOTLOADER):
            raise Refusal(EXTENDED, INIT_INVALID)
        if packet.hash_type != SHA256:
            raise Refusal(EXTENDED, HASH_TYPE)
        if packet.hardware_version is None:
            raise Refusal(EXTENDED, INIT_INVALID)
        if packet.hardware_version != self.options.hardware_version:
            raise Refusal(EXTENDED, HARDWARE_VERSION)
        accepted = {self.options.softdevice, init_packet.ANY_SOFTDEVICE}
        if packet.softdevices and packet.softdevices[0] != 0 \
                and not accepted & set(packet.softdevices):
            raise Refusal(EXTENDED, SOFTDEVICE_VERSION)
        if packet.firmware_version is None:
            if packet.type != SOFTDEVICE:
                raise Refusal(EXTENDED, INIT_INVALID)
        elif packet.type in (APPLICATION, SOFTDEVICE):
            if packet.firmware_version < self.versions[APPLICATION]:
                raise Refusal(EXTENDED, FIRMWARE_VERSION)
        elif packet.firmware_version <= self.versions[BOOTLOADER]:
            raise Refusal(EXTENDED, FIRMWARE_VERSION)

    def finish_if_whole(self):
        packet = self.packet
        if self.kind != DATA_OBJECT or packet is None \
                or self.executed_byte_count != packet.byte_count():
            return
        data, kind = bytes(self.data), packet.type
        account = {"type": kind, "sha256": hashlib.sha256(data).hexdigest(), "length": len(data)}
        self.say("complete", **account)
        if kind == APPLICATION:
            self.flash = data
        else:
            size = len(data) if kind == SOFTDEVICE else packet.softdevice_size or 0
            self.parts["softdevice"] = data[:size] or self.parts["softdevice"]
            self.parts["bootloader"] = data[size:] or self.parts["bootloader"]
        if packet.firmware_version is not None and kind != SOFTDEVICE:
            group = APPLICATION if kind == APPLICATION else BOOTLOADER
            self.versions[group] = packet.firmware_version
        self.say("activated", **account)
        self.forget_all()
        # Without an application for the new SoftDevice, only the bootloader can start.
        self.reset(is_bootloader=kind != APPLICATION and not self.options.keep_application)

    # What the bootloader tells of itself. Over Bluetooth, the SDK's leaves the values out.

    def version(self, value):
        return self.told("<B", 1)

    def tell_mtu(self, value):
        return self.told("<H", self.att_mtu)

    def ping(self, value):
        return self.told("<B", value[1] if len(value) > 1 else 0)

    def hardware(self, value):
        return self.told("<5I", 0x52840, 0x41414430, 1 << 20, 256 << 10, 4096)

    def firmware(self, value):
        number = value[1] if len(value) > 1 else 0
        images = [(2, self.versions[BOOTLOADER], 0xF8000, 0x6000),
                  (0, self.options.softdevice, 0x1000, 0x25000),
                  (1, self.versions[APPLICATION], 0x26000, len(self.flash))]
        return self.told("<BIII", *(images[number] if number < 3 else (0xFF, 0, 0, 0)))

    def told(self, form, *values):
        return struct.pack(form, *values) if self.options.long_replies else b""

    def abort(self, value):
        self.forget_all()
        self.reset(is_bootloader=False)


def options_parser():
    options = parser("A device with Nordic's Secure DFU.")
    options.add_argument("--bonded", action="store_true",
                         help="the service for bonds: the bootloader has the same address")
    options.add_argument("--in-bootloader", action="store_true", help="from the start")
    options.add_argument("--keep-application", action="store_true",
                         help="after an update of SoftDevice and bootloader")
    options.add_argument("--object-size", type=int, default=4096, metavar="BYTES")
    options.add_argument("--hardware-version", type=int, default=52)
    options.add_argument("--firmware-version", type=int, default=0,
                         help="of the application: a smaller one is refused")
    options.add_argument("--bootloader-version", type=int, default=0,
                         help="one that isn't larger is refused")
    options.add_argument("--softdevice", type=lambda text: int(text, 0), default=0x100,
                         help="the number that init packets have to name")
    options.add_argument("--public-key", metavar="PEM", help="init packets have to be signed")
    options.add_argument("--wrong-crc-at", type=int, action="append", default=[],
                         metavar="OBJECT", help="damage this object of data, counted from 0, "
                         "once; may be repeated")
    options.add_argument("--drop-packets", type=float, default=0, metavar="PROBABILITY",
                         help="packets of firmware for which there is no room")
    options.add_argument("--full", action="store_true", help="there is no room for any firmware")
    options.add_argument("--flash-left", type=int, default=1 << 30, metavar="BYTES",
                         help="no object beyond can be created, although the init packet was "
                         "accepted")
    options.add_argument("--long-replies", action="store_true", help="ping, MTU and versions are "
                         "answered with their values, as the serial transport does")
    options.add_argument("--reset-ms", type=int, default=0, help="how long a reset takes")
    return options


def main(arguments=None, serve=serve):
    options = options_parser().parse_args(arguments)
    key = None
    if options.public_key:
        import ecdsa
        with open(options.public_key) as file:
            key = ecdsa.VerifyingKey.from_pem(file.read())
    serve(SecureDFUDevice(options, key), options)


if __name__ == "__main__":
    main()
