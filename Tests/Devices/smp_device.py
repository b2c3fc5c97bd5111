#!/usr/bin/env python3
"""A device with SMP (MCUmgr) and MCUboot's two slots, over GATT, UDP or a serial line.

    smp_device.py --socket PATH | --udp PORT | --serial | --raw-serial  [options]

The facts are from Zephyr's pages "SMP Protocol Specification", "SMP Transport Specification",
"Default/OS Management Group" and "Application/software image management group", from MCUboot's
page "Bootloader", and from what Zephyr 4.1.99 did when it was measured. Where the two differ, the
device does what was measured. Numbers of groups, commands and errors, and the framing of the
console, are those of PyPI's smp.

`--flash FILE` has the running image of the first pair of slots, FILE.1 the one of the second pair,
and FILE.slot1 what is in the second slot of the first pair.
"""
import hashlib, os, pty, select, socket, struct, sys, termios, time, tty

import cbor2
from smp import packet as console
from smp.error import MGMT_ERR
from smp.header import CommandId, GroupId
from smp.image_management import IMG_MGMT_ERR
from smp.os_management import OS_MGMT_RET_RC

import mcuboot
from gatt_socket import Device, Faults, Output, ends_by_signal, parser, serve

SERVICE = "8d53dc1d-1db7-4cd3-868b-8a527460aa84"
CHARACTERISTIC = "da2e7828-fbce-4e01-ae9e-261174997c48"
HEADER = struct.Struct(">BBHHBB")  # version and op, flags, length, group, sequence, command
READ, WRITE = 0, 2
SLOT_INFO = 6  # smp 4.2.0 doesn't have it.
RAW_TIMEOUT_SECONDS = 0.5  # Zephyr's page says that there is one, but not how long.

# What a group's error becomes for a host that speaks version 1. The others are "unknown".
OLD_ERRORS = {3: 5, 4: 5, 9: 6, 27: 6, 28: 6, 15: 2, 14: 3, 19: 3, 20: 3, 21: 3, 22: 3, 24: 3,
              25: 3}

APPLICATION_INFO = [("s", "Zephyr"), ("n", "unknown"), ("r", "v4.1.99"), ("v", "4.1.99"),
                    ("b", "Thu Nov 26 04:19:52 2026"), ("m", "arm"), ("p", "cortex-m4"),
                    ("i", "bleota_judge"), ("o", "Zephyr")]


class Refusal(Exception):
    """An error of SMP itself, without a group."""

    def __init__(self, code):
        self.code = int(code)


class GroupRefusal(Refusal):
    """An error of a group."""

    def __init__(self, group, code):
        super().__init__(code)
        self.group = int(group)


def image_error(code):
    return GroupRefusal(GroupId.IMAGE_MANAGEMENT, code)


class Pair:
    """The two slots of one image, and MCUboot: what it does at a boot."""

    def __init__(self, slot_size, running):
        self.slot_size, self.slots = slot_size, [bytearray(), bytearray()]
        self.slots[0][:] = running
        self.swap = None  # "test" or "permanent", for the next boot
        self.is_confirmed = True

    def image(self, slot):
        """The image in a slot, or None."""
        try:
            return mcuboot.parsed(self.slots[slot])
        except mcuboot.NoImage:
            return None

    def boot(self, say):
        """Swaps, reverts, or does neither. Tells it with `say`."""
        swap, self.swap = self.swap, None
        if swap and self.image(1) is None:
            self.slots[1].clear()
            swap = None
            say("refused", sentence="MCUboot doesn't start an image whose hash is another.")
        if swap:
            self.slots.reverse()
            self.is_confirmed = swap == "permanent"
            return say("activated", permanent=self.is_confirmed, **self.account())
        if not self.is_confirmed:
            self.is_confirmed = True
            if self.image(1) is None:
                return say("stuck", sentence="There is no image to go back to.")
            self.slots.reverse()
            say("reverted", **self.account())

    def account(self):
        data = bytes(self.slots[0])
        return {"sha256": hashlib.sha256(data).hexdigest(), "length": len(data)}


class Upload:
    """An upload that is open: in RAM, so that a reset forgets it."""

    def __init__(self, pair, index, byte_count, sha):
        self.pair, self.index, self.byte_count, self.sha = pair, index, byte_count, sha
        self.data = pair.slots[1]


class Server:
    """Answers requests, one after the other, each of which holds a buffer until it is answered."""

    def __init__(self, device, options):
        self.device, self.options = device, options
        size = options.flash_size or 1 << 20
        self.pairs = [Pair(size, mcuboot.made(bytes([index]) * 4000, (1, 0, 0, 0)))
                      for index in range(options.images)]
        self.upload, self.waiting = None, []
        self.reset_at = sorted(options.reset_at)
        self.restart_from_zero_at = sorted(options.restart_from_zero_at)
        self.is_resetting = self.is_silent = False

    @property
    def capacity(self):
        return self.options.capacity or self.options.buffers

    def forget(self):
        """The connection is gone, and with it the requests that wait."""
        self.waiting.clear()

    def receive(self, request, reply_to=None):
        """Takes a whole request, if there is a buffer for it."""
        if len(self.waiting) + self.device.is_answering() < self.capacity:
            return self.waiting.append((request, reply_to))
        self.device.say("dropped", what="request", length=len(request))
        if self.options.overflow == "violation":
            self.device.violation(f"More than {self.capacity} requests are without their answers.")
        elif self.options.overflow == "busy":
            operation, _, _, group, sequence, command = HEADER.unpack_from(request)
            self.send(operation, group, sequence, command, {"rc": int(MGMT_ERR.EBUSY)}, reply_to)

    def step(self):
        """Answers the request that waits longest; all of them, in any order, with --reorder."""
        if not self.waiting:
            return False
        count = len(self.waiting) if self.options.reorder else 1
        answers = [self.answer(*self.waiting.pop(0)) for _ in range(count)]
        answers = [answer for answer in answers if answer]
        self.device.dice.shuffle(answers)
        for answer in answers:
            if not self.is_silent:
                self.send(*answer)
        if self.is_resetting:
            self.is_resetting = self.is_silent = False
            self.device.leave(self.options.reset_ms)
            self.reset()
        return True

    def answer(self, request, reply_to):
        """What to send, or None if there is no answer to it."""
        operation, _, _, group, sequence, command = HEADER.unpack_from(request)
        self.delay_milliseconds = 0
        try:
            if operation & 7 not in (READ, WRITE):
                return self.device.violation(f"{operation & 7} is no operation of a request.")
            if len(request) > self.options.buffer_size:
                raise Refusal(MGMT_ERR.EMSGSIZE)
            fields = self.decoded(request[HEADER.size:])
            reply = self.handler(group, command, operation & 7)(fields)
        except Refusal as refusal:
            reply = self.error(refusal, operation)
        else:
            reply = {"rc": 0, **reply} if self.options.version_1 else reply
        return operation, group, sequence, command, reply, reply_to, self.delay_milliseconds

    def send(self, operation, group, sequence, command, reply, reply_to, delay_milliseconds=0):
        """Operation and version of the reply follow from those of the request."""
        first = operation & 7 | 1
        if not self.options.version_1:
            first |= operation & 0x18
        if self.options.unknown_keys:
            reply = {"later": {"a": [1, None]}, **reply, "zz": b"\0"}
        if self.options.stray_replies and self.device.dice.random() < 0.1:
            stray = {"off": 0} if "off" in reply else reply
            self.device.reply(self.encoded(first, group, sequence + 100, command, stray), reply_to,
                              0)
        self.device.reply(self.encoded(first, group, sequence, command, reply), reply_to,
                          delay_milliseconds)

    def encoded(self, first, group, sequence, command, fields):
        """Maps of indefinite length, as Zephyr writes them."""
        data = cbor2.dumps(fields, indefinite_containers=True)
        return HEADER.pack(first, 0, len(data), group, sequence % 256, command) + data

    def decoded(self, data):
        try:
            fields = cbor2.loads(data)
        except Exception as error:  # Whatever cbor2 has against it, the reply is the same.
            self.device.violation(f"A request isn't CBOR: {error!r}.")
            fields = None
        if not isinstance(fields, dict):
            raise Refusal(MGMT_ERR.EINVAL)
        return fields

    def error(self, refusal, operation):
        is_version_2 = operation & 0x18 and not self.options.version_1
        if not isinstance(refusal, GroupRefusal):
            return {"rc": refusal.code}
        if is_version_2:
            return {"err": {"group": refusal.group, "rc": refusal.code}}
        if refusal.group == GroupId.IMAGE_MANAGEMENT:
            return {"rc": OLD_ERRORS.get(refusal.code, int(MGMT_ERR.EUNKNOWN))}
        return {"rc": int(MGMT_ERR.EINVAL)}

    def handler(self, group, command, operation):
        image, system = CommandId.ImageManagement, CommandId.OSManagement
        handlers = {
            (0, system.ECHO, READ): self.echo, (0, system.ECHO, WRITE): self.echo,
            (0, system.RESET, WRITE): self.ask_for_reset,
            (0, system.MCUMGR_PARAMETERS, READ): self.parameters,
            (0, system.OS_APPLICATION_INFO, READ): self.application_info,
            (0, system.BOOTLOADER_INFO, READ): self.bootloader_info,
            (1, image.STATE, READ): self.read_state, (1, image.STATE, WRITE): self.write_state,
            (1, image.UPLOAD, WRITE): self.take_upload, (1, image.ERASE, WRITE): self.erase,
            (1, SLOT_INFO, READ): self.slot_info,
        }
        if self.options.no_parameters:
            handlers.pop((0, system.MCUMGR_PARAMETERS, READ))
        if (group, command, operation) not in handlers:
            raise Refusal(MGMT_ERR.ENOTSUP)
        return handlers[group, command, operation]

    # The group of the operating system

    def echo(self, fields):
        if not isinstance(fields.get("d"), str):
            raise Refusal(MGMT_ERR.EINVAL)
        return {"r": fields["d"]}

    def ask_for_reset(self, fields):
        self.is_resetting = True
        return {}

    def parameters(self, fields):
        return {"buf_size": self.options.buffer_size, "buf_count": self.options.buffers}

    def application_info(self, fields):
        wanted = fields.get("format") or "s"
        known = "".join(letter for letter, _ in APPLICATION_INFO)
        if not isinstance(wanted, str) or set(wanted) - set(known + "a"):
            raise GroupRefusal(GroupId.OS_MANAGEMENT, OS_MGMT_RET_RC.INVALID_FORMAT)
        values = [value for letter, value in APPLICATION_INFO if letter in wanted or "a" in wanted]
        return {"output": " ".join(values)}

    def bootloader_info(self, fields):
        if "query" not in fields:
            return {"bootloader": "MCUboot"}
        if fields["query"] != "mode":
            raise GroupRefusal(GroupId.OS_MANAGEMENT, OS_MGMT_RET_RC.QUERY_YIELDS_NO_ANSWER)
        return {"mode": 3}  # Swap without scratch.

    def reset(self):
        """RAM is gone, and MCUboot decides."""
        self.upload = None
        self.waiting.clear()
        self.device.say("reset")
        for index, pair in enumerate(self.pairs):
            pair.boot(lambda event, **fields: self.device.say(event, image=index, **fields))

    # The group of images

    def read_state(self, fields=None):
        images = []
        for index, pair in enumerate(self.pairs):
            for slot in (0, 1):
                image = pair.image(slot)
                if image:
                    number = {"image": index} if len(self.pairs) > 1 else {}
                    images.append({**number, "slot": slot, "version": image.text,
                                   "hash": image.hash, "bootable": image.is_bootable,
                                   **self.flags(pair, slot)})
        return {"images": images, "splitStatus": 0}

    def flags(self, pair, slot):
        if slot == 0:
            return {"pending": False, "confirmed": pair.is_confirmed, "active": True,
                    "permanent": False}
        return {"pending": pair.swap is not None, "confirmed": not pair.is_confirmed,
                "active": False, "permanent": pair.swap == "permanent"}

    def write_state(self, fields):
        digest, is_for_good = fields.get("hash"), bool(fields.get("confirm", False))
        if digest is None and is_for_good:
            self.confirm(0)
            return self.read_state()
        if not isinstance(digest, bytes) or len(digest) != 32:
            raise image_error(IMG_MGMT_ERR.INVALID_HASH)
        for index, pair in enumerate(self.pairs):
            running, other = pair.image(0), pair.image(1)
            if running and running.hash == digest:
                if not is_for_good:
                    raise image_error(IMG_MGMT_ERR.IMAGE_SETTING_TEST_TO_ACTIVE_DENIED)
                self.confirm(index)
                return self.read_state()
            if other and other.hash == digest:
                pair.swap = "permanent" if is_for_good else "test"
                self.device.say("pending", image=index, permanent=is_for_good)
                return self.read_state()
        raise image_error(IMG_MGMT_ERR.HASH_NOT_FOUND)

    def confirm(self, index):
        self.pairs[index].is_confirmed = True
        self.device.say("confirmed", image=index, **self.pairs[index].account())

    def take_upload(self, fields):
        offset, data = fields.get("off"), fields.get("data", b"")
        if not isinstance(offset, int) or offset < 0:
            raise image_error(IMG_MGMT_ERR.INVALID_OFFSET)
        if not isinstance(data, bytes):
            raise Refusal(MGMT_ERR.EINVAL)
        self.device.firmware_byte_count += len(data)
        if self.is_due(self.reset_at):
            self.is_resetting = self.is_silent = True
            return {}
        if self.is_due(self.restart_from_zero_at):
            self.upload = None
            self.device.say("forgotten")
            return {"off": 0}
        if offset == 0 and not self.opens(fields, data):
            return {"off": len(self.upload.data)}
        if self.upload is None:
            return {"off": 0}
        if offset == len(self.upload.data):
            return self.append(data)
        return {"off": len(self.upload.data)}

    def is_due(self, thresholds):
        if thresholds and self.device.firmware_byte_count >= thresholds[0]:
            thresholds.pop(0)
            return True
        return False

    def opens(self, fields, data):
        """False if it resumes the upload that is open. The data of such a request is dropped."""
        byte_count, sha = fields.get("len"), fields.get("sha", b"")
        if len(data) < 32:
            raise image_error(IMG_MGMT_ERR.INVALID_IMAGE_HEADER)
        if not isinstance(byte_count, int) or byte_count < 0:
            raise image_error(IMG_MGMT_ERR.INVALID_LENGTH)
        if data[:4] != struct.pack("<I", mcuboot.MAGIC):
            raise image_error(IMG_MGMT_ERR.INVALID_IMAGE_HEADER_MAGIC)
        if not isinstance(sha, bytes) or len(sha) not in (0, 32):
            raise image_error(IMG_MGMT_ERR.INVALID_HASH)
        if self.upload and sha and self.upload.sha == sha:
            self.device.say("resumed", offset=len(self.upload.data))
            return False
        index = fields.get("image", 0)
        if not isinstance(index, int) or not 0 <= index < len(self.pairs):
            raise image_error(IMG_MGMT_ERR.NO_FREE_SLOT)
        pair = self.pairs[index]
        if byte_count > pair.slot_size:
            raise image_error(IMG_MGMT_ERR.INVALID_IMAGE_TOO_LARGE)
        version = mcuboot.HEADER.unpack_from(data)[6:9]
        if fields.get("upgrade") and version <= pair.image(0).version[:3]:
            raise image_error(IMG_MGMT_ERR.CURRENT_VERSION_IS_NEWER)
        self.wipe(index)
        self.upload = Upload(pair, index, byte_count, sha)
        return True

    def append(self, data):
        upload = self.upload
        if len(upload.data) + len(data) > upload.byte_count:
            self.upload = None
            raise image_error(IMG_MGMT_ERR.INVALID_IMAGE_DATA_OVERRUN)
        upload.data += data
        reply = {"off": len(upload.data)}
        if len(upload.data) == upload.byte_count:
            digest = hashlib.sha256(upload.data).digest()
            if self.options.image_check and upload.sha:
                reply["match"] = digest == upload.sha
            self.device.say("complete", image=upload.index, sha256=digest.hex(),
                            length=upload.byte_count)
            self.upload = None
        return reply

    def wipe(self, index):
        """Erases the second slot, which takes its time."""
        pair = self.pairs[index]
        if not pair.is_confirmed:
            self.device.say("wiped", sentence="What one would go back to is erased.")
        if pair.swap:
            self.device.say("cancelled", sentence="The image for the next boot is erased.")
        pair.swap = None
        pair.slots[1].clear()
        self.delay_milliseconds = self.options.erase_ms
        self.device.say("erased", image=index)

    def erase(self, fields):
        slot = fields.get("slot", 1)
        if not isinstance(slot, int) or not 0 <= slot < 2 * len(self.pairs):
            raise image_error(IMG_MGMT_ERR.INVALID_SLOT)
        if slot % 2 == 0:
            raise image_error(IMG_MGMT_ERR.NO_FREE_SLOT)
        if self.upload and self.upload.index == slot // 2:
            self.upload = None
        self.wipe(slot // 2)
        return {}

    def slot_info(self, fields):
        return {"images": [{"image": index, "slots": [{"slot": slot, "size": pair.slot_size}
                                                      for slot in (0, 1)]}
                           for index, pair in enumerate(self.pairs)]}


class Assembler:
    """Requests out of pieces without framing: the header says how long each is."""

    def __init__(self, device, size_max):
        self.device, self.size_max = device, size_max
        self.clear()

    def clear(self):
        self.data, self.skip_byte_count = bytearray(), 0

    def requests(self, piece, is_stream=False):
        """The requests that are whole with this piece. A stream may be cut anywhere."""
        if self.skip_byte_count:
            skipped = min(self.skip_byte_count, len(piece))
            self.skip_byte_count -= skipped
            piece = piece[skipped:]
        if not self.data and 0 < len(piece) < HEADER.size and not is_stream:
            self.device.violation("The first piece of a request doesn't hold its header.")
            return []
        self.data += piece
        whole = []
        while len(self.data) >= HEADER.size:
            length = HEADER.size + HEADER.unpack_from(self.data)[2]
            if length > self.size_max:
                # The answer is an error, and comes at once. The rest is not kept.
                whole.append(bytes(self.data[:HEADER.size]).ljust(self.size_max + 1, b"\0"))
                self.skip_byte_count = max(length - len(self.data), 0)
                self.data.clear()
            elif len(self.data) < length:
                break
            else:
                whole.append(bytes(self.data[:length]))
                del self.data[:length]
                if self.data and not is_stream:
                    self.device.violation("A piece holds more than the end of its request.")
                    self.data.clear()
        return whole


class SMPDevice(Device):
    services = {SERVICE: {CHARACTERISTIC: ["write-without-response", "notify"]}}

    def __init__(self, options):
        super().__init__(options.mtu, options.seed)
        self.server = Server(self, options)
        self.assembler = Assembler(self, options.buffer_size)
        self.packets = []  # whole replies, where there is no GATT: (packet, to, milliseconds)
        self.has_gatt = options.socket is not None

    @property
    def flash(self):
        return bytes(self.server.pairs[0].slots[0])

    @flash.setter
    def flash(self, _):
        pass

    def files(self):
        files = {f".{index}": bytes(pair.slots[0]) for index, pair in enumerate(self.server.pairs)}
        files[""] = files.pop(".0")
        files[".slot1"] = bytes(self.server.pairs[0].slots[1])
        return files

    def disconnected(self):
        self.assembler.clear()
        self.server.forget()

    def written(self, characteristic, value, with_response):
        for request in self.assembler.requests(value):
            self.server.receive(request)

    def step(self):
        return self.server.step()

    def is_answering(self):
        """Whether a request still holds its buffer, because its answer isn't sent yet."""
        return bool(self.notifications)

    def reply(self, packet, to, delay_milliseconds):
        if not self.has_gatt:
            return self.packets.append((packet, to, delay_milliseconds))
        size = self.att_mtu - 3
        for at in range(0, len(packet), size):
            self.notify(CHARACTERISTIC, packet[at:at + size], delay_milliseconds if not at else 0)


class PacketLoop:
    """Serves the device without GATT. A subclass gives `file`, `arrived` and `send`."""

    def __init__(self, device, options):
        self.device, self.output = device, Output(device, options.flash)
        self.faults, self.reset_ms = Faults(options), options.reset_ms

    def run(self):
        while True:
            self.take()
            self.device.step()
            self.output.flush_events()
            if self.faults.loses_link(self.device):
                self.device.packets.clear()
                self.device.disconnected()
            packets, self.device.packets = self.device.packets, []
            for packet, to, delay_milliseconds in packets:
                time.sleep((delay_milliseconds + self.faults.slow_milliseconds) / 1000)
                self.send(packet, to)
            if self.device.is_leaving:
                self.device.is_leaving = False
                self.rest(self.device.away_milliseconds / 1000)

    def take(self):
        """Takes all that has arrived; waits for something if there is nothing to do."""
        wait = 0 if self.device.server.waiting else None
        while select.select([self.file], [], [], wait)[0]:
            wait = 0
            self.arrived()

    def rest(self, seconds):
        """What arrives while the device is away is lost."""
        end = time.monotonic() + seconds
        while select.select([self.file], [], [], max(end - time.monotonic(), 0))[0]:
            self.discard()
        self.device.assembler.clear()

    def receive(self, request, to=None):
        if self.faults.drops_command():
            self.device.say("dropped", what="packet", length=len(request))
        else:
            self.device.server.receive(request, to)


class UDPLoop(PacketLoop):
    def __init__(self, device, options):
        super().__init__(device, options)
        self.file = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.file.bind(("127.0.0.1", options.udp))
        self.output.event("listening", udp=self.file.getsockname()[1])

    def arrived(self):
        data, address = self.file.recvfrom(65536)
        if len(data) < HEADER.size or len(data) != HEADER.size + HEADER.unpack_from(data)[2]:
            return self.device.violation("A datagram isn't one request.")
        self.receive(data, address)

    def send(self, packet, to):
        self.file.sendto(packet, to)

    def discard(self):
        self.file.recvfrom(65536)


class SerialLoop(PacketLoop):
    """A pseudo-terminal. Its other end stays open here, so that hosts may come and go."""

    def __init__(self, device, options):
        super().__init__(device, options)
        self.is_raw = options.raw_serial
        self.file, self.other_end = pty.openpty()
        tty.setraw(self.other_end, termios.TCSANOW)
        self.line, self.frames, self.last = b"", None, 0.0
        path = os.ttyname(self.other_end)
        self.output.event("listening", **{"raw-serial" if self.is_raw else "serial": path})

    def arrived(self):
        data = os.read(self.file, 65536)
        if self.is_raw:
            return self.take_raw(data)
        *lines, self.line = (self.line + data).split(b"\n")
        for line in lines:
            self.take_line(line + b"\n")

    def take_raw(self, data):
        now = time.monotonic()
        if now - self.last > RAW_TIMEOUT_SECONDS:
            self.device.assembler.clear()
        self.last = now
        for request in self.device.assembler.requests(data, is_stream=True):
            self.receive(request)

    def take_line(self, line):
        """A line that begins otherwise is for the console."""
        if line[:2] == console.START_DELIMITER:
            self.frames = console.decode()
            next(self.frames)
        elif line[:2] != console.CONTINUE_DELIMITER or self.frames is None:
            return
        if len(line) > 127:
            self.device.violation(f"A frame has {len(line)} bytes instead of at most 127.")
        try:
            self.frames.send(line)
        except StopIteration as whole:
            self.frames = None
            self.receive(whole.value)
        except Exception as error:  # Base64, the CRC, the length: the frame is dropped.
            self.frames = None
            self.device.violation(f"A frame is broken: {error!r}.")

    def send(self, packet, to):
        data = packet if self.is_raw else b"".join(console.encode(packet))
        while data:
            data = data[os.write(self.file, data):]

    def discard(self):
        os.read(self.file, 65536)
        self.line, self.frames = b"", None


def options_parser():
    options = parser("A device with SMP and MCUboot.", needs_socket=False)
    options.add_argument("--udp", type=int, metavar="PORT", help="on 127.0.0.1; 0 for any")
    options.add_argument("--serial", action="store_true", help="framing of the console")
    options.add_argument("--raw-serial", action="store_true", help="without framing")
    options.add_argument("--erase-ms", type=int, default=0, help="before an erase is answered")
    options.add_argument("--reset-ms", type=int, default=0, help="how long a reset takes")
    options.add_argument("--buffers", type=int, default=4, help="the buf_count that it tells")
    options.add_argument("--buffer-size", type=int, default=384, help="with the header")
    options.add_argument("--capacity", type=int, help="how many requests may really wait")
    options.add_argument("--no-parameters", action="store_true")
    options.add_argument("--images", type=int, default=1, help="pairs of slots")
    options.add_argument("--version-1", action="store_true", help="of SMP: errors are rc")
    options.add_argument("--overflow", choices=["violation", "silent", "busy"],
                         default="violation", help="requests without a buffer: dropped with an "
                         "event, dropped, or answered with rc 10")
    options.add_argument("--reset-at", type=int, action="append", default=[], metavar="BYTES",
                         help="reset when so many bytes of firmware arrived; may be repeated")
    options.add_argument("--restart-from-zero-at", type=int, action="append", default=[],
                         metavar="BYTES", help="forget the upload then; may be repeated")
    options.add_argument("--reorder", action="store_true", help="replies in any order")
    options.add_argument("--unknown-keys", action="store_true", help="in every reply")
    options.add_argument("--image-check", action="store_true", help="match in the last reply")
    options.add_argument("--stray-replies", action="store_true",
                         help="now and then, with a sequence number that nobody used")
    return options


def main():
    options = options_parser().parse_args()
    ways = [options.socket, options.udp, options.serial or None, options.raw_serial or None]
    if sum(way is not None for way in ways) != 1:
        sys.exit("smp_device.py needs one of --socket, --udp, --serial and --raw-serial.")
    device = SMPDevice(options)
    if options.socket:
        return serve(device, options)
    loop = (UDPLoop if options.udp is not None else SerialLoop)(device, options)
    ends_by_signal(loop.output)
    loop.run()


if __name__ == "__main__":
    main()
