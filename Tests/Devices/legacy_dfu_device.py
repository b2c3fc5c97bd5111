#!/usr/bin/env python3
"""A device with Nordic's Legacy DFU, with a bootloader or, as InfiniTime, without one.

    legacy_dfu_device.py --socket PATH  [options]

The facts are from Nordic's pages "BLE DFU Service" and "Serial (HCI) packet format" of the nRF51
SDK (developer.nordicsemi.com, version 8.1.0, S130: a00107.html and a00108.html) and, for what
happens in each state, from that SDK in public mirrors: ble_dfu.h, ble_dfu.c, dfu_transport_ble.c
and dfu_dual_bank.c. InfiniTime's are from its DfuService.cpp. No code is from there.

The bootloader keeps its state over a lost link: a start is then refused with "invalid state" until
the host resets the device. InfiniTime doesn't answer such a start at all, for ten seconds.

`--flash FILE` has the application, FILE.softdevice and FILE.bootloader the others.
"""
import binascii, hashlib, struct

from gatt_socket import CCCD_IMPROPER, Device, after, parser, serve

SERVICE = "00001530-1212-efde-1523-785feabcd123"
CONTROL_POINT = "00001531-1212-efde-1523-785feabcd123"
PACKET = "00001532-1212-efde-1523-785feabcd123"
VERSION = "00001534-1212-efde-1523-785feabcd123"

(START, INITIALIZE, RECEIVE, VALIDATE, ACTIVATE, RESET, REPORT_SIZE, REQUEST_RECEIPTS) = range(1, 9)
RESPONSE, RECEIPT = 0x10, 0x11
SUCCESS, INVALID_STATE, NOT_SUPPORTED, DATA_SIZE, CRC_ERROR, FAILED = range(1, 7)
SOFTDEVICE, BOOTLOADER, APPLICATION = 1, 2, 4  # bits of the type of an update

ANY, ANY_SOFTDEVICE = 0xFFFF, 0xFFFE
INIT_BYTE_COUNT_MAX = 128
INFINITIME_PACKET_BYTE_COUNT, INFINITIME_TIMEOUT_SECONDS = 20, 10
FLASH_SIZE = 1 << 20

# States: nothing, ready for the init packet, receiving it, receiving firmware, validated
IDLE, READY, INIT, DATA, VALIDATED = "idle", "ready", "init", "data", "validated"


class LegacyDFUDevice(Device):
    def __init__(self, options):
        super().__init__(options.mtu, options.seed)
        self.options = options
        self.application_address = self.address
        self.is_bootloader = options.in_bootloader
        self.flash = b"the application that was there"
        self.parts = {"softdevice": b"", "bootloader": b""}
        self.damage_at = sorted(options.damage_at)
        self.refuse = dict(options.refuse)
        self.last = 0.0
        self.forget()
        self.appear()

    def files(self):
        return {"": bytes(self.flash), ".softdevice": self.parts["softdevice"],
                ".bootloader": self.parts["bootloader"]}

    @property
    def does_updates(self):
        return self.is_bootloader or self.options.infinitime

    def appear(self):
        moves = self.is_bootloader and not self.options.same_address
        self.address = after(self.application_address, 1 if moves else 0)
        self.services = {SERVICE: {CONTROL_POINT: ["write", "notify"],
                                   PACKET: ["write-without-response"], VERSION: ["read"]}}

    def forget(self):
        self.state, self.awaited = IDLE, None
        self.sizes, self.type = (0, 0, 0), 0
        self.init, self.data = bytearray(), bytearray()
        self.receipt_target = self.receipt_count = 0
        self.is_blocked = False

    def connected(self):
        self.receipt_target = self.receipt_count = 0

    def disconnected(self):
        self.awaited = None
        self.appear()

    def reset(self, is_bootloader):
        self.say("reset", bootloader=is_bootloader)
        self.is_bootloader = is_bootloader and not self.options.infinitime
        self.forget()
        self.leave(self.options.reset_ms)

    def read(self, characteristic):
        version = self.options.dfu_version if self.does_updates else 1
        return struct.pack("<H", version)

    def written(self, characteristic, value, with_response):
        if characteristic == CONTROL_POINT and characteristic not in self.subscriptions:
            return CCCD_IMPROPER
        if self.options.infinitime and self.now - self.last > INFINITIME_TIMEOUT_SECONDS:
            self.forget()
        self.last = self.now
        if characteristic == PACKET:
            return self.take_packet(value) if self.does_updates else None
        if not value:
            return self.violation("A request is empty.")
        if self.does_updates:
            self.take_request(value[0], value)
        elif value[0] == START:
            self.reset(is_bootloader=True)
        else:
            self.respond(value[0], NOT_SUPPORTED)

    def respond(self, request, result, payload=b"", delay_milliseconds=0):
        result = self.refuse.pop(request, result)
        if self.options.infinitime and result not in (SUCCESS, CRC_ERROR):
            return self.say("ignored", request=request)  # It has no other answers.
        if result != SUCCESS:
            self.say("refused", request=request, result=result)
        self.notify(CONTROL_POINT, bytes([RESPONSE, request, result]) + payload,
                    delay_milliseconds)

    # Requests

    def take_request(self, request, value):
        lengths = {START: 2, INITIALIZE: 2, REQUEST_RECEIPTS: 3}
        if len(value) < lengths.get(request, 1):
            result = NOT_SUPPORTED if request == REQUEST_RECEIPTS else FAILED
            return self.respond(request, result)
        handlers = {START: self.start, INITIALIZE: self.initialize, RECEIVE: self.receive,
                    VALIDATE: self.validate, ACTIVATE: self.activate,
                    REQUEST_RECEIPTS: self.set_receipts}
        if not self.options.infinitime:
            handlers[RESET] = self.ask_for_reset
            handlers[REPORT_SIZE] = self.report_size
        if request not in handlers:
            return self.respond(request, NOT_SUPPORTED)
        handlers[request](value)

    def start(self, value):
        """The answer comes after the packet with the sizes."""
        if self.options.infinitime and (self.state != IDLE or value[1] != APPLICATION):
            return self.say("ignored", request=START)
        self.awaited, self.type = START, value[1]

    def initialize(self, value):
        self.awaited = INITIALIZE
        if not value[1]:
            return
        if self.state != INIT:
            return self.respond(INITIALIZE, INVALID_STATE)
        if not self.accepts_init():
            self.init.clear()
            return self.respond(INITIALIZE, FAILED)
        self.state = DATA
        self.respond(INITIALIZE, SUCCESS, b"", self.late())

    def late(self):
        """InfiniTime sends some answers by a timer of a second."""
        return self.options.timer_ms if self.options.infinitime else 0

    def accepts_init(self):
        """Device type and revision, application's version, a list of SoftDevices, and a CRC."""
        if len(self.init) < 12:
            return False
        kind, revision, _, count = struct.unpack_from("<HHIH", self.init)
        if len(self.init) < 10 + 2 * count + 2:
            return False
        if self.options.infinitime:
            return True
        softdevices = struct.unpack_from(f"<{count}H", self.init, 10)
        return (kind in (self.options.device_type, ANY)
                and revision in (self.options.device_revision, ANY)
                and (self.options.softdevice in softdevices or ANY_SOFTDEVICE in softdevices))

    def expected_crc(self):
        count = struct.unpack_from("<H", self.init, 8)[0]
        return struct.unpack_from("<H", self.init, 10 + 2 * count)[0]

    def receive(self, value):
        """The answer comes after the last packet."""
        self.awaited = RECEIVE

    def set_receipts(self, value):
        count = struct.unpack_from("<H", value, 1)[0]
        self.receipt_target = self.receipt_count = count & 255 if self.options.infinitime else count

    def report_size(self, value):
        self.respond(REPORT_SIZE, SUCCESS, struct.pack("<I", len(self.data)))

    def validate(self, value):
        if self.state != DATA or len(self.data) != sum(self.sizes) or self.is_blocked:
            return self.respond(VALIDATE, INVALID_STATE)
        if binascii.crc_hqx(self.data, 0xFFFF) != self.expected_crc():
            self.respond(VALIDATE, CRC_ERROR, b"", self.late())
            if self.options.infinitime:
                self.forget()
            return
        self.state = VALIDATED
        self.say("complete", **self.account())
        self.respond(VALIDATE, SUCCESS, b"", self.late())

    def account(self):
        return {"type": self.type, "sha256": hashlib.sha256(self.data).hexdigest(),
                "length": len(self.data)}

    def activate(self, value):
        """It isn't answered: the link ends."""
        if self.state != VALIDATED:
            if self.options.infinitime:
                return self.say("ignored", request=ACTIVATE)
            self.violation("Firmware that isn't validated is to be activated.")
            return self.reset(is_bootloader=True)
        softdevice, bootloader, application = self.sizes
        data = bytes(self.data)
        if application:
            self.flash = data[-application:]
        if softdevice:
            self.parts["softdevice"] = data[:softdevice]
        if bootloader:
            self.parts["bootloader"] = data[softdevice:softdevice + bootloader]
        self.say("activated", **self.account())
        self.reset(is_bootloader=not application)

    def ask_for_reset(self, value):
        self.reset(is_bootloader=self.options.stay_in_bootloader)

    # Packets

    def take_packet(self, value):
        if self.awaited == START:
            self.take_sizes(value)
        elif self.awaited == INITIALIZE:
            self.take_init(value)
        elif self.awaited == RECEIVE:
            self.take_firmware(value)
        else:
            self.violation("A packet arrives, and no request has announced it.")

    def take_sizes(self, value):
        if len(value) != 12:
            return self.respond(START, NOT_SUPPORTED)
        if self.state != IDLE:
            return self.respond(START, INVALID_STATE)
        sizes = softdevice, bootloader, application = struct.unpack("<III", value)
        kinds = (SOFTDEVICE * bool(softdevice) | BOOTLOADER * bool(bootloader)
                 | APPLICATION * bool(application))
        if kinds != self.type:
            self.violation(f"The sizes {sizes} don't belong to an update of type {self.type}.")
        if application and (softdevice or bootloader) or not self.are_words(sizes):
            return self.respond(START, NOT_SUPPORTED)
        if self.options.full or sum(sizes) > (self.options.flash_size or FLASH_SIZE):
            return self.respond(START, DATA_SIZE)
        self.sizes, self.state = sizes, READY
        self.init.clear()
        self.data.clear()
        self.say("erased")
        self.respond(START, SUCCESS, b"", self.options.erase_ms)

    def are_words(self, sizes):
        return self.options.infinitime or not any(size % 4 for size in sizes)

    def take_init(self, value):
        if self.state not in (READY, INIT):
            return self.respond(INITIALIZE, INVALID_STATE)
        self.state = INIT
        if len(self.init) + len(value) > INIT_BYTE_COUNT_MAX:
            return self.respond(INITIALIZE, FAILED)
        self.init += value

    def take_firmware(self, value):
        if self.state != DATA:
            return self.respond(RECEIVE, INVALID_STATE)
        end = len(self.data) + len(value)
        is_last = end == sum(self.sizes)
        if self.options.infinitime and not self.suits_infinitime(len(value), is_last):
            return
        if len(value) % 4 and not self.options.infinitime:
            return self.respond(RECEIVE, NOT_SUPPORTED)
        if self.is_blocked or end > sum(self.sizes):
            self.is_blocked = True
            self.violation("There is more firmware than was announced.")
            return self.respond(RECEIVE, DATA_SIZE)
        self.firmware_byte_count += len(value)
        if self.damage_at and end >= self.damage_at[0]:
            self.say("damaged", at=self.damage_at.pop(0))
            value = bytes([value[0] ^ 1]) + value[1:]
        self.data += value
        if is_last:
            return self.respond(RECEIVE, SUCCESS)
        if self.receipt_target:
            self.receipt_count -= 1
            if self.receipt_count == 0:
                self.receipt_count = self.receipt_target
                self.notify(CONTROL_POINT, struct.pack("<BI", RECEIPT, len(self.data)))

    def suits_infinitime(self, byte_count, is_last):
        """Its buffer of 200 bytes takes packets of 20 bytes; others crash it, or get lost."""
        if byte_count == INFINITIME_PACKET_BYTE_COUNT or is_last and byte_count < 20:
            return True
        self.violation(f"InfiniTime can't take a packet of {byte_count} bytes.")
        self.reset(is_bootloader=False)
        return False


def refusal(text):
    request, _, result = text.partition("=")
    return int(request, 0), int(result, 0)


def options_parser():
    options = parser("A device with Nordic's Legacy DFU.")
    options.set_defaults(mtu=None)  # 23, as its bootloaders have it; InfiniTime has 256.
    options.add_argument("--infinitime", action="store_true",
                         help="the application itself does updates, of applications")
    options.add_argument("--timer-ms", type=int, default=1000,
                         help="before InfiniTime's answers to init packet and validation")
    options.add_argument("--in-bootloader", action="store_true", help="from the start")
    options.add_argument("--same-address", action="store_true", help="of the bootloader")
    options.add_argument("--stay-in-bootloader", action="store_true",
                         help="when the host resets it")
    options.add_argument("--dfu-version", type=int, default=8, help="of the bootloader")
    options.add_argument("--device-type", type=int, default=ANY)
    options.add_argument("--device-revision", type=int, default=ANY)
    options.add_argument("--softdevice", type=lambda text: int(text, 0), default=0x64)
    options.add_argument("--erase-ms", type=int, default=0, help="before the start is answered")
    options.add_argument("--reset-ms", type=int, default=0, help="how long a reset takes")
    options.add_argument("--full", action="store_true", help="no firmware is small enough")
    options.add_argument("--refuse", type=refusal, action="append", default=[],
                         metavar="REQUEST=RESULT", help="once, instead of what the answer would "
                         "be; may be repeated")
    options.add_argument("--damage-at", type=int, action="append", default=[], metavar="BYTES",
                         help="a bit of firmware flips once; may be repeated")
    return options


def main(arguments=None, serve=serve):
    options = options_parser().parse_args(arguments)
    options.mtu = options.mtu or (256 if options.infinitime else 23)
    serve(LegacyDFUDevice(options), options)


if __name__ == "__main__":
    main()
