"""SMP's server: requests in, replies out, without a transport.

The facts are from Zephyr's pages "Default/OS Management Group" and "Application/software image
management group", from MCUboot's page "Bootloader", from img_mgmt_translate_error_code of Zephyr
for the errors of version 1, and from what Zephyr 4.1.99 did when it was measured. Where the two
differ, the server does what was measured. Numbers of groups, commands and errors are those of
PyPI's smp.
"""
import hashlib, struct

import cbor2
from smp.error import MGMT_ERR
from smp.header import CommandId, GroupId
from smp.image_management import IMG_MGMT_ERR
from smp.os_management import OS_MGMT_RET_RC

import mcuboot

HEADER = struct.Struct(">BBHHBB")  # version and op, flags, length, group, sequence, command
READ, WRITE = 0, 2
SLOT_INFO = 6  # smp 4.2.0 doesn't have it.

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
