#!/usr/bin/env python3
"""Pushes an image through each device with a naive host, once with a lost link.

    python3 -m unittest test_devices       in this folder, with what requirements.txt names

The hosts here know just enough of each protocol for a device that works. They are no judges.
"""
import binascii, contextlib, hashlib, json, os, select, signal, socket, struct, subprocess, sys
import tempfile, unittest, zipfile, zlib

import cbor2
from smp.image_management import (ImageStatesReadRequest, ImageStatesReadResponse,
                                  ImageStatesWriteRequest, ImageUploadWriteRequest,
                                  ImageUploadWriteResponse, ImageManagementErrorV2, IMG_MGMT_ERR)
from smp.os_management import (EchoWriteRequest, EchoWriteResponse, MCUMgrParametersReadRequest,
                               MCUMgrParametersReadResponse, ResetWriteRequest)
from smp import packet as console

import esp_ota_device, init_packet, legacy_dfu_device, mcuboot, packages, secure_dfu_device
import smp_device

FOLDER = os.path.dirname(os.path.abspath(__file__))
SECONDS = 20


class LinkLost(Exception):
    pass


def some_bytes(byte_count, seed=1):
    data = b""
    while len(data) < byte_count:
        data += hashlib.sha256(struct.pack("<II", seed, len(data))).digest()
    return data[:byte_count]


class Program:
    """A device in a process of its own, and the events that it printed."""

    def __init__(self, name, *arguments):
        command = [sys.executable, os.path.join(FOLDER, name), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.events, self.rest = [], b""
        self.first = self.wait_for("listening")

    def read(self):
        if not select.select([self.process.stdout], [], [], SECONDS)[0]:
            raise AssertionError(f"the device is silent after {self.events}")
        data = os.read(self.process.stdout.fileno(), 65536)
        if not data:
            raise AssertionError(f"the device has ended after {self.events}")
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.events += [json.loads(line) for line in lines]

    def wait_for(self, name):
        """The first such event that wasn't waited for yet."""
        while True:
            for index, event in enumerate(self.events):
                if event["event"] == name and not event.get("seen"):
                    event["seen"] = True
                    return event
            self.read()

    def names(self):
        return [event["event"] for event in self.events]

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(SECONDS)
        for line in (self.rest + self.process.stdout.read()).splitlines():
            self.events.append(json.loads(line))
        self.process.stdout.close()
        return status


class Host:
    """A connection over the socket."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(path)
        self.rest, self.waiting = b"", []
        hello = self.receive()
        self.address, self.att_mtu = hello["address"], hello["attMTU"]
        self.characteristics = {name: properties for service in hello["services"].values()
                                for name, properties in service.items()}

    def receive(self):
        while b"\n" not in self.rest:
            try:
                data = self.socket.recv(65536)
            except ConnectionError:
                data = b""
            if not data:
                raise LinkLost
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def send(self, op, characteristic, value=b""):
        message = {"op": op, "characteristic": characteristic, "value": value.hex()}
        try:
            self.socket.sendall(json.dumps(message).encode() + b"\n")
        except ConnectionError:
            raise LinkLost from None

    def answer(self, op):
        while True:
            message = self.receive()
            if message["op"] == op:
                return message
            self.waiting.append(message)

    def write(self, characteristic, value):
        self.send("write", characteristic, value)
        return self.answer("written")["error"]

    def command(self, characteristic, value):
        self.send("command", characteristic, value)

    def subscribe(self, characteristic):
        self.send("subscribe", characteristic)
        return self.answer("subscribed")["error"]

    def notification(self):
        message = self.waiting.pop(0) if self.waiting else self.receive()
        return bytes.fromhex(message["value"])

    def close(self):
        self.socket.close()


class DeviceTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "socket")
        self.host = None
        self.addCleanup(self.disconnect)

    @contextlib.contextmanager
    def device(self, name, *arguments):
        if not {"--udp", "--serial", "--raw-serial"} & set(arguments):
            arguments += ("--socket", self.path)
        program = Program(name, *arguments, "--flash", os.path.join(self.folder, "flash"))
        try:
            yield program
        finally:
            status = program.end()
        self.assertEqual(status, 0)

    def flash(self, suffix=""):
        with open(os.path.join(self.folder, "flash" + suffix), "rb") as file:
            return file.read()

    def connect(self):
        """One connection at a time: the one before ends."""
        self.disconnect()
        self.host = Host(self.path)
        return self.host

    def disconnect(self):
        if self.host:
            self.host.close()
        self.host = None


class ShellTests(DeviceTests):
    def test_what_is_no_operation_is_a_violation_and_nothing_else(self):
        with self.device("smp_device.py", "--mtu", 23) as program:
            host = self.connect()
            for line in (b"\xff", b"{}", b"[]", b"x" * 5000,
                         b'{"op": "write", "characteristic": 1}',
                         b'{"op": "command", "characteristic": "a", "value": "0"}'):
                host.socket.sendall(line + b"\n")
                program.wait_for("violation")
            host.command(smp_device.CHARACTERISTIC, bytes(21))
            self.assertIn("21 bytes", program.wait_for("violation")["sentence"])
            host.command("ab", b"")
            program.wait_for("violation")
            host.command(smp_device.CHARACTERISTIC, EchoWriteRequest(d="").BYTES)
            self.assertIn("subscribed", program.wait_for("violation")["sentence"])
            self.assertEqual(host.write(smp_device.CHARACTERISTIC, b""), 3)
            self.assertEqual(host.write("ab", b""), 10)
            self.assertEqual(host.subscribe("ab"), 10)

    def test_commands_are_dropped_the_same_for_the_same_seed(self):
        counts = []
        for seed in (1, 1, 2):
            arguments = ("--in-bootloader", "--drop-commands", 0.5, "--seed", seed)
            with self.device("secure_dfu_device.py", *arguments) as program:
                host = SecureDFUHost(self.connect())
                host.ask(struct.pack("<BBI", 1, 1, 40))
                for number in range(40):
                    host.host.command(secure_dfu_device.PACKET, bytes([number]))
                counts.append(host.ask(b"\3"))
            self.assertIn("dropped", program.names())
        self.assertEqual(counts[0], counts[1])
        self.assertNotEqual(counts[0], counts[2])


class SMPHost:
    """Requests one after the other over a Host."""

    def __init__(self, host):
        self.host = host
        host.subscribe(smp_device.CHARACTERISTIC)

    def ask(self, request):
        size = self.host.att_mtu - 3
        for at in range(0, len(request), size):
            self.host.command(smp_device.CHARACTERISTIC, request[at:at + size])
        reply = self.host.notification()
        while len(reply) < 8 + struct.unpack(">H", reply[2:4])[0]:
            reply += self.host.notification()
        return reply


class DatagramHost:
    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(SECONDS)
        self.socket.connect(("127.0.0.1", port))

    def ask(self, request):
        self.socket.send(request)
        return self.socket.recv(65536)


class SerialHost:
    def __init__(self, path, is_raw=False):
        self.file, self.is_raw = os.open(path, os.O_RDWR | os.O_NOCTTY), is_raw

    def read(self):
        if not select.select([self.file], [], [], SECONDS)[0]:
            raise AssertionError("the serial line is silent")
        return os.read(self.file, 4096)

    def ask(self, request):
        os.write(self.file, request if self.is_raw else b"".join(console.encode(request)))
        data = b""
        if self.is_raw:
            while len(data) < 8 or len(data) < 8 + struct.unpack(">H", data[2:4])[0]:
                data += self.read()
            return data
        decoder = console.decode()
        next(decoder)
        while True:
            while b"\n" not in data:
                data += self.read()
            line, data = data.split(b"\n", 1)
            try:
                decoder.send(line + b"\n")
            except StopIteration as whole:
                return whole.value


def smp_upload(ask, image, chunk=200, offset=0):
    """Returns when the device has all of it."""
    while offset < len(image):
        fields = {"off": offset, "data": image[offset:offset + chunk]}
        if offset == 0:
            fields.update(len=len(image), sha=hashlib.sha256(image).digest())
        reply = ask(ImageUploadWriteRequest(**fields).BYTES)
        offset = ImageUploadWriteResponse.loads(reply).off


class SMPTests(DeviceTests):
    image = mcuboot.made(some_bytes(20_000), (2, 0, 0, 0))

    def upload_test_and_reset(self, ask):
        self.assertEqual(EchoWriteResponse.loads(ask(EchoWriteRequest(d="x").BYTES)).r, "x")
        smp_upload(ask, self.image)
        states = ImageStatesReadResponse.loads(ask(ImageStatesReadRequest().BYTES)).images
        self.assertEqual([state.version for state in states], ["1.0.0", "2.0.0"])
        ask(ImageStatesWriteRequest(hash=states[1].hash).BYTES)
        ask(ResetWriteRequest().BYTES)

    def test_an_image_is_tested_and_reverts_unless_it_is_confirmed(self):
        with self.device("smp_device.py", "--erase-ms", 50) as program:
            self.upload_test_and_reset(SMPHost(self.connect()).ask)
            program.wait_for("activated")
            self.assertEqual(self.flash(), self.image)
            SMPHost(self.connect()).ask(ResetWriteRequest().BYTES)
            program.wait_for("reverted")
        self.assertEqual(self.flash(".slot1"), self.image)
        self.assertNotIn("violation", program.names())
        complete = next(event for event in program.events if event["event"] == "complete")
        self.assertEqual(complete["sha256"], hashlib.sha256(self.image).hexdigest())

    def test_an_upload_resumes_by_its_hash(self):
        with self.device("smp_device.py", "--lose-link-at", 9_000) as program:
            with self.assertRaises(LinkLost):
                smp_upload(SMPHost(self.connect()).ask, self.image)
            smp_upload(SMPHost(self.connect()).ask, self.image)
            self.assertGreaterEqual(program.wait_for("resumed")["offset"], 9_000)
            program.wait_for("complete")
        self.assertEqual(program.names().count("erased"), 1)
        self.assertEqual(self.flash(".slot1"), self.image)

    def test_a_reset_forgets_the_upload(self):
        with self.device("smp_device.py", "--reset-at", 9_000) as program:
            with self.assertRaises(LinkLost):
                smp_upload(SMPHost(self.connect()).ask, self.image)
            smp_upload(SMPHost(self.connect()).ask, self.image)
            program.wait_for("complete")
        self.assertEqual(program.names().count("erased"), 2)

    def test_an_image_larger_than_the_slot_is_refused(self):
        with self.device("smp_device.py", "--flash-size", 10_000):
            request = ImageUploadWriteRequest(off=0, data=self.image[:64], len=len(self.image))
            error = ImageManagementErrorV2.loads(SMPHost(self.connect()).ask(request.BYTES))
            self.assertEqual(error.err.rc, IMG_MGMT_ERR.INVALID_IMAGE_TOO_LARGE)

    def test_requests_beyond_the_buffers_are_noticed(self):
        with self.device("smp_device.py", "--buffers", 2, "--slow", 20) as program:
            host = self.connect()
            host.subscribe(smp_device.CHARACTERISTIC)
            for _ in range(6):
                host.command(smp_device.CHARACTERISTIC, EchoWriteRequest(d="x").BYTES)
            program.wait_for("violation")

    def test_replies_come_in_any_order_with_strays_and_unknown_keys(self):
        faults = ("--reorder", "--stray-replies", "--unknown-keys", "--slow", 1)
        with self.device("smp_device.py", *faults) as program:
            host = self.connect()
            host.subscribe(smp_device.CHARACTERISTIC)
            sequences, used = [], list(range(40))
            for at in range(0, 40, 4):
                for sequence in used[at:at + 4]:
                    request = EchoWriteRequest(d="x", sequence=sequence).BYTES
                    host.command(smp_device.CHARACTERISTIC, request)
                while len(set(sequences) & set(used)) < at + 4:
                    reply = host.notification()
                    self.assertIn("zz", cbor2.loads(reply[8:]))
                    sequences.append(reply[6])
            self.assertNotEqual([sequence for sequence in sequences if sequence in used], used)
            self.assertTrue(set(sequences) - set(used))
        self.assertNotIn("violation", program.names())

    def test_the_other_transports(self):
        for option in ("--udp", "--serial", "--raw-serial"):
            with self.subTest(option):
                arguments = (option, 0) if option == "--udp" else (option,)
                with self.device("smp_device.py", *arguments) as program:
                    if option == "--udp":
                        host = DatagramHost(program.first["udp"])
                        self.addCleanup(host.socket.close)
                    else:
                        host = SerialHost(program.first[option[2:]], option == "--raw-serial")
                        self.addCleanup(os.close, host.file)
                    reply = host.ask(MCUMgrParametersReadRequest().BYTES)
                    self.assertEqual(MCUMgrParametersReadResponse.loads(reply).buf_count, 4)
                    self.upload_test_and_reset(host.ask)
                    program.wait_for("activated")
                self.assertEqual(self.flash(), self.image)
                self.assertNotIn("violation", program.names())


class SecureDFUHost:
    """Pushes one part of a package, and goes on where the bootloader is."""

    def __init__(self, host, receipts=0):
        self.host, self.point = host, secure_dfu_device.CONTROL_POINT
        host.subscribe(self.point)
        self.receipts = receipts
        self.ask(struct.pack("<BH", 2, receipts))

    def ask(self, request):
        """The payload of the answer."""
        assert self.host.write(self.point, request) is None
        answer = self.host.notification()
        assert answer[:2] == bytes([0x60, request[0]])
        if answer[2] != 1:
            raise Refused(*answer[2:])
        return answer[3:]

    def select(self, kind):
        return struct.unpack("<III", self.ask(bytes([6, kind])))

    def send(self, data):
        """Waits for each receipt."""
        size = self.host.att_mtu - 3
        for count, at in enumerate(range(0, len(data), size), 1):
            self.host.command(secure_dfu_device.PACKET, data[at:at + size])
            if self.receipts and count % self.receipts == 0:
                assert self.host.notification()[:3] == b"\x60\3\1"

    def is_right(self, data, account):
        return account == (len(data), zlib.crc32(data))

    def push(self, command, firmware):
        _, *account = self.select(1)
        if not self.is_right(command, tuple(account)):
            self.ask(struct.pack("<BBI", 1, 1, len(command)))
            self.send(command)
            assert self.is_right(command, struct.unpack("<II", self.ask(b"\3")))
        self.ask(b"\4")
        size_max, offset, _ = self.select(2)
        start = offset // size_max * size_max
        while start < len(firmware):
            end = min(start + size_max, len(firmware))
            self.ask(struct.pack("<BBI", 1, 2, end - start))
            self.send(firmware[start:end])
            if self.is_right(firmware[:end], struct.unpack("<II", self.ask(b"\3"))):
                self.ask(b"\4")
                start = end


class Refused(Exception):
    pass


class SecureDFUTests(DeviceTests):
    firmware = some_bytes(20_001)
    command = init_packet.made(init_packet.APPLICATION, firmware, key=packages.signing_key())

    def enter(self, characteristic=secure_dfu_device.BUTTONLESS):
        host = self.connect()
        self.assertEqual(host.write(characteristic, b"\1"), 0xFD)
        host.subscribe(characteristic)
        host.write(characteristic, b"\1")
        self.assertEqual(host.notification(), b"\x20\1\1")
        with self.assertRaises(LinkLost):
            host.receive()
        return host.address

    def test_an_application_by_the_buttonless_service(self):
        with self.device("secure_dfu_device.py") as program:
            self.assertEqual(self.enter(), "C0:FF:EE:00:00:01")
            host = self.connect()
            self.assertEqual(host.address, "C0:FF:EE:00:00:02")
            SecureDFUHost(host, receipts=8).push(self.command, self.firmware)
            program.wait_for("activated")
            self.assertIn(secure_dfu_device.BUTTONLESS, self.connect().characteristics)
        self.assertEqual(self.flash(), self.firmware)
        self.assertNotIn("violation", program.names())

    def test_it_goes_on_after_a_lost_link_and_wrong_objects(self):
        faults = ("--bonded", "--lose-link-at", 9_000, "--wrong-crc-at", 1, "--wrong-crc-at", 4,
                  "--drop-packets", 0.02)
        with self.device("secure_dfu_device.py", *faults) as program:
            self.enter(secure_dfu_device.BUTTONLESS_BONDED)
            host = self.connect()
            self.assertEqual(host.address, "C0:FF:EE:00:00:01")
            with self.assertRaises(LinkLost):
                SecureDFUHost(host).push(self.command, self.firmware)
            host = SecureDFUHost(self.connect())
            self.assertGreaterEqual(host.select(2)[1], 4096)
            host.push(self.command, self.firmware)
            program.wait_for("activated")
        self.assertEqual(program.names().count("accepted"), 1)
        self.assertEqual(self.flash(), self.firmware)
        self.assertNotIn("violation", program.names())

    def test_packages_and_refusals(self):
        with self.device("secure_dfu_device.py", "--in-bootloader", "--firmware-version", 2) as _:
            host = SecureDFUHost(self.connect())
            with self.assertRaises(Refused) as refusal:
                host.push(self.command, self.firmware)
            self.assertEqual(refusal.exception.args, (0x0B, 5))
            self.assertEqual(host.select(1)[1], 0)

    def push_package(self, path, parts):
        with zipfile.ZipFile(path) as archive:
            for part in parts:
                host = SecureDFUHost(self.connect())
                host.push(archive.read(part + ".dat"), archive.read(part + ".bin"))

    def test_a_package_of_two_parts(self):
        subprocess.run([sys.executable, os.path.join(FOLDER, "packages.py"), self.folder],
                       check=True, stdout=subprocess.DEVNULL)
        key = os.path.join(self.folder, "secure-public-key.pem")
        arguments = ("--in-bootloader", "--public-key", key)
        with self.device("secure_dfu_device.py", *arguments) as program:
            package = os.path.join(self.folder, "secure-unsigned.zip")
            with self.assertRaises(Refused) as refusal:
                self.push_package(package, ["application"])
            self.assertEqual(refusal.exception.args, (0x0B, 8))
            package = os.path.join(self.folder, "secure-all.zip")
            self.push_package(package, ["softdevice_bootloader", "application"])
        self.assertEqual(program.names().count("activated"), 2)
        with zipfile.ZipFile(package) as archive:
            self.assertEqual(self.flash(), archive.read("application.bin"))
            both = self.flash(".softdevice") + self.flash(".bootloader")
            self.assertEqual(both, archive.read("softdevice_bootloader.bin"))


class LegacyDFUHost:
    """Pushes one part of a package."""

    def __init__(self, host):
        self.host, self.point = host, legacy_dfu_device.CONTROL_POINT
        host.subscribe(self.point)

    def tell(self, request):
        assert self.host.write(self.point, request) is None

    def result(self, request):
        answer = self.host.notification()
        assert answer[:2] == bytes([0x10, request]), answer
        if answer[2] != 1:
            raise Refused(answer[2])

    def packets(self, data, receipts=0):
        for count, at in enumerate(range(0, len(data), 20), 1):
            self.host.command(legacy_dfu_device.PACKET, data[at:at + 20])
            if receipts and count % receipts == 0 and at + 20 < len(data):
                expected = struct.pack("<BI", 0x11, at + 20)
                assert self.host.notification() == expected

    def push(self, kind, sizes, init, firmware):
        self.tell(bytes([1, kind]))
        self.packets(struct.pack("<III", *sizes))
        self.result(1)
        self.tell(b"\2\0")
        self.packets(init)
        self.tell(b"\2\1")
        self.result(2)
        self.tell(struct.pack("<BH", 8, 10))
        self.tell(b"\3")
        self.packets(firmware, 10)
        self.result(3)
        self.tell(b"\4")
        self.result(4)
        self.host.send("write", self.point, b"\5")


class LegacyDFUTests(DeviceTests):
    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, os.path.join(FOLDER, "packages.py"), self.folder],
                       check=True, stdout=subprocess.DEVNULL)

    def push(self, host, package):
        with zipfile.ZipFile(os.path.join(self.folder, package)) as archive:
            manifest = json.loads(archive.read("manifest.json"))["manifest"]
            for name in ("softdevice_bootloader", "application"):
                part = manifest.get(name)
                if not part:
                    continue
                firmware = archive.read(part["bin_file"])
                kind, sizes = 4, (0, 0, len(firmware))
                if name != "application":
                    kind, sizes = 3, (part["sd_size"], part["bl_size"], 0)
                LegacyDFUHost(host).push(kind, sizes, archive.read(part["dat_file"]), firmware)
                host = self.connect()
        return firmware

    def test_two_parts_by_the_jump_to_the_bootloader(self):
        with self.device("legacy_dfu_device.py", "--erase-ms", 20) as program:
            host = self.connect()
            self.assertEqual(host.write(legacy_dfu_device.CONTROL_POINT, b"\1\4"), 0xFD)
            host.subscribe(legacy_dfu_device.CONTROL_POINT)
            host.send("write", legacy_dfu_device.CONTROL_POINT, b"\1\4")
            program.wait_for("reset")
            host = self.connect()
            self.assertEqual(host.address, "C0:FF:EE:00:00:02")
            application = self.push(host, "legacy-all.zip")
            self.assertEqual(self.connect().address, "C0:FF:EE:00:00:01")
        self.assertEqual(self.flash(), application)
        self.assertEqual(program.names().count("activated"), 2)
        self.assertNotIn("violation", program.names())

    def test_infinitime(self):
        arguments = ("--infinitime", "--timer-ms", 10)
        with self.device("legacy_dfu_device.py", *arguments) as program:
            application = self.push(self.connect(), "legacy-application.zip")
            program.wait_for("activated")
        self.assertEqual(self.flash(), application)
        self.assertNotIn("violation", program.names())

    def test_a_lost_link_needs_a_reset(self):
        faults = ("--in-bootloader", "--stay-in-bootloader", "--lose-link-at", 9_000)
        with self.device("legacy_dfu_device.py", *faults) as program:
            with self.assertRaises(LinkLost):
                self.push(self.connect(), "legacy-application.zip")
            host = self.connect()
            with self.assertRaises(Refused) as refusal:
                self.push(host, "legacy-application.zip")
            self.assertEqual(refusal.exception.args, (2,))
            host.send("write", legacy_dfu_device.CONTROL_POINT, b"\6")
            program.wait_for("reset")
            application = self.push(self.connect(), "legacy-application.zip")
            program.wait_for("activated")
        self.assertEqual(self.flash(), application)

    def test_refusals(self):
        for arguments, package, result in (
                (("--full",), "legacy-application.zip", 4),
                (("--device-type", 8), "legacy-device-type-9.zip", 6),
                (("--damage-at", 5000), "legacy-application.zip", 5)):
            with self.subTest(arguments):
                with self.device("legacy_dfu_device.py", "--in-bootloader", *arguments):
                    with self.assertRaises(Refused) as refusal:
                        self.push(self.connect(), package)
                    self.assertEqual(refusal.exception.args, (result,))


class ESPHost:
    def __init__(self, host):
        self.host = host
        host.subscribe(esp_ota_device.FIRMWARE)
        host.subscribe(esp_ota_device.COMMAND)

    def ask(self, command, number=0):
        request = esp_ota_device.sealed(struct.pack("<HI", command, number))
        assert self.host.write(esp_ota_device.COMMAND, request) is None
        answer = self.host.notification()
        assert esp_ota_device.sealed(answer[:18]) == answer
        assert struct.unpack_from("<HH", answer) == (3, command)
        if answer[4]:
            raise Refused(answer[4])

    def push(self, firmware):
        self.ask(1, len(firmware))
        index, size = 0, self.host.att_mtu - 6
        while index * 4096 < len(firmware):
            data = firmware[index * 4096:index * 4096 + 4096]
            data += struct.pack("<H", binascii.crc_hqx(data, 0))
            for sequence, at in enumerate(range(0, len(data), size)):
                number = 0xFF if at + size >= len(data) else sequence
                packet = struct.pack("<HB", index, number) + data[at:at + size]
                assert self.host.write(esp_ota_device.FIRMWARE, packet) is None
            answer = self.host.notification()
            assert esp_ota_device.sealed(answer[:18]) == answer
            status, wanted = struct.unpack_from("<HH", answer, 2)
            index = wanted if status else index + 1
        self.ask(2)


class ESPTests(DeviceTests):
    firmware = some_bytes(20_001)

    def test_firmware_with_damaged_sectors(self):
        with self.device("esp_ota_device.py", "--crc-error-at", 0, "--crc-error-at", 4) as program:
            ESPHost(self.connect()).push(self.firmware)
            program.wait_for("activated")
        self.assertEqual(self.flash(), self.firmware)
        self.assertNotIn("violation", program.names())

    def test_it_goes_on_after_a_lost_link(self):
        faults = ("--keeps-sectors", "--lose-link-at", 9_000)
        with self.device("esp_ota_device.py", *faults) as program:
            with self.assertRaises(LinkLost):
                ESPHost(self.connect()).push(self.firmware)
            host = ESPHost(self.connect())
            host.ask(1, len(self.firmware))
            host.host.write(esp_ota_device.FIRMWARE, struct.pack("<HB", 0, 0) + b"data")
            self.assertEqual(host.host.notification()[:6], struct.pack("<HHH", 0, 2, 2))
            program.wait_for("refused")
        self.assertNotIn("violation", program.names())

    def test_too_much_firmware_is_rejected(self):
        with self.device("esp_ota_device.py", "--flash-size", 20_000):
            with self.assertRaises(Refused):
                ESPHost(self.connect()).push(self.firmware)


if __name__ == "__main__":
    unittest.main()
