#!/usr/bin/env python3
"""A device with SMP (MCUmgr) and MCUboot's two slots, over GATT, UDP or a serial line.

    smp_device.py --socket PATH | --udp PORT | --serial | --raw-serial  [options]

The facts are from Zephyr's page "SMP Transport Specification", and from what Zephyr 4.1.99 did
when it was measured. The framing of the console is that of PyPI's smp. smp_server.py answers the
requests.

`--flash FILE` has the running image of the first pair of slots, FILE.1 the one of the second pair,
and FILE.slot1 what is in the second slot of the first pair.
"""
import os, pty, select, socket, sys, termios, time, tty

from smp import packet as console

from gatt_socket import Device, Faults, Output, ends_by_signal, parser, serve
from smp_server import HEADER, Server

SERVICE = "8d53dc1d-1db7-4cd3-868b-8a527460aa84"
CHARACTERISTIC = "da2e7828-fbce-4e01-ae9e-261174997c48"
RAW_TIMEOUT_SECONDS = 0.5  # Zephyr's page says that there is one, but not how long.


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
                if self.device.away_milliseconds:
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


def main(arguments=None, serve=serve):
    options = options_parser().parse_args(arguments)
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
