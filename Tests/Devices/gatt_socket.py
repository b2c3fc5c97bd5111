"""A Bluetooth LE device without a radio: GATT as lines of JSON over a Unix stream socket.

A Device is a class without I/O, clock or threads. What it has to say is in two lists:
`notifications` and `events`. The Shell here gives it a socket, and the time.

One accepted connection is one Bluetooth connection. To close it is to lose the link. Each line is
one JSON object in UTF-8 with '\\n' at its end.

    device: {"address": …, "attMTU": 247,
             "services": {SERVICE: {CHARACTERISTIC: [PROPERTY, …]}}}
    host:   {"op": "write", "characteristic": …, "value": HEX}
            device: {"op": "written", "error": null or a number}, in the order of the writes
            {"op": "command", "characteristic": …, "value": HEX}, without an answer
            {"op": "subscribe", "characteristic": …}
            device: {"op": "subscribed", "error": null or a number}
            {"op": "read", "characteristic": …}
            device: {"op": "value", "value": HEX}, with "error" instead if it can't be read
    device: {"op": "notify", "characteristic": …, "value": HEX}, also for indications

The numbers of errors are those of the Attribute Protocol: Bluetooth Core Specification, volume 3,
part F, section 3.4.1.1, and its supplement for 0xFD.
"""
import argparse, collections, json, os, random, select, signal, socket, sys, time

READ_NOT_PERMITTED, WRITE_NOT_PERMITTED, NOT_SUPPORTED = 0x02, 0x03, 0x06
NOT_FOUND, INVALID_LENGTH = 0x0A, 0x0D
CCCD_IMPROPER = 0xFD

VALUE_BYTE_COUNT_MAX = 512  # of an attribute
LINE_BYTE_COUNT_MAX = 4096  # The longest attribute has twice as many digits as bytes.

Notification = collections.namedtuple("Notification", "characteristic value delay_milliseconds")


def uuid16(number):
    """The 128-bit form of a UUID that the Bluetooth SIG has given out."""
    return f"0000{number:04x}-0000-1000-8000-00805f9b34fb"


def after(address, step=1):
    """The address whose number is larger by `step` in its last byte, as bootloaders choose it."""
    head, _, last = address.rpartition(":")
    return f"{head}:{(int(last, 16) + step) % 256:02X}"


class Device:
    """What the Shell asks of a device. A subclass answers `written` and gives `services`.

    firmware_byte_count counts bytes of firmware that arrived, with those that arrived again.
    now, in seconds, is set by the Shell before it calls the device, which has no clock.
    is_leaving is set by a device that ends the connection once its notifications are sent;
    away_milliseconds is how long it then can't be connected.
    """

    address = "C0:FF:EE:00:00:01"
    services = {}

    def __init__(self, att_mtu=247, seed=1):
        self.att_mtu, self.dice = att_mtu, random.Random(seed)
        self.notifications, self.events = collections.deque(), collections.deque()
        self.subscriptions = set()
        self.flash, self.now = b"", 0.0
        self.firmware_byte_count, self.is_leaving, self.away_milliseconds = 0, False, 0

    # What the link does

    def connected(self):
        """A host has connected."""

    def disconnected(self):
        """The link is gone, for whatever reason. What the device had to say is gone as well."""

    def written(self, characteristic, value, with_response):
        """Returns None, or the number of an ATT error."""
        return WRITE_NOT_PERMITTED

    def subscribed(self, characteristic):
        """Returns None, or the number of an ATT error."""

    def read(self, characteristic):
        """Returns the value, or None."""

    def step(self):
        """Does the next piece of work that waits for its turn. Returns whether there was one."""
        return False

    def files(self):
        """What the Shell writes to --flash: bytes by the suffix of the file's name."""
        return {"": bytes(self.flash)}

    # For subclasses

    def notify(self, characteristic, value, delay_milliseconds=0):
        self.notifications.append(Notification(characteristic, bytes(value), delay_milliseconds))

    def say(self, event, **fields):
        self.events.append({"event": event, **fields})

    def violation(self, sentence):
        self.say("violation", sentence=sentence)

    def leave(self, away_milliseconds=0):
        """Ends the connection, once the notifications are sent."""
        self.is_leaving, self.away_milliseconds = True, away_milliseconds

    def properties(self, characteristic):
        """The list of properties, or None for a characteristic that isn't there."""
        for characteristics in self.services.values():
            if characteristic in characteristics:
                return characteristics[characteristic]
        return None


class Output:
    """Events on stdout and the flash in a file, for every way to reach a device."""

    def __init__(self, device, flash_path=None):
        self.device, self.flash_path = device, flash_path

    def event(self, name, **fields):
        print(json.dumps({"event": name, **fields}), flush=True)

    def flush_events(self):
        while self.device.events:
            event = self.device.events.popleft()
            if event["event"] in ("activated", "reverted"):
                self.write_flash()
            print(json.dumps(event), flush=True)

    def write_flash(self):
        if self.flash_path:
            for suffix, data in self.device.files().items():
                partial = self.flash_path + suffix + ".partial"
                with open(partial, "wb") as file:
                    file.write(data)
                os.replace(partial, self.flash_path + suffix)


class Faults:
    """What goes wrong between host and device, the same for the same --seed."""

    def __init__(self, options):
        self.lose_link_at = sorted(options.lose_link_at)
        self.drop_commands = options.drop_commands
        self.slow_milliseconds = options.slow
        self.dice = random.Random(f"{options.seed} commands")

    def loses_link(self, device):
        if self.lose_link_at and device.firmware_byte_count >= self.lose_link_at[0]:
            self.lose_link_at.pop(0)
            return True
        return False

    def drops_command(self):
        return self.drop_commands > 0 and self.dice.random() < self.drop_commands


class Attributes:
    """A device's attributes as ATT gives access to them, for every shell."""

    def __init__(self, device, faults):
        self.device, self.faults = device, faults

    def write(self, characteristic, value):
        """Returns None, or the number of an error."""
        properties = self.device.properties(characteristic)
        if properties is None:
            return NOT_FOUND
        if "write" not in properties:
            return WRITE_NOT_PERMITTED
        if len(value) > VALUE_BYTE_COUNT_MAX:
            return INVALID_LENGTH
        return self.device.written(characteristic, value, True)

    def command(self, characteristic, value):
        properties = self.device.properties(characteristic) or []
        if "write-without-response" not in properties:
            self.device.violation(f"A command to {characteristic}, which doesn't take commands.")
        elif len(value) > self.device.att_mtu - 3:
            self.device.violation(f"A command of {len(value)} bytes, with the MTU "
                                  f"{self.device.att_mtu}.")
        elif self.faults.drops_command():
            self.device.say("dropped", what="command", length=len(value))
        else:
            self.device.written(characteristic, value, False)

    def subscribe(self, characteristic):
        """Returns None, or the number of an error."""
        properties = self.device.properties(characteristic)
        if properties is None:
            return NOT_FOUND
        if "notify" not in properties and "indicate" not in properties:
            return NOT_SUPPORTED
        error = self.device.subscribed(characteristic)
        if error is None:
            self.device.subscriptions.add(characteristic)
        return error

    def read(self, characteristic):
        """Returns the value, and None or the number of an error."""
        properties = self.device.properties(characteristic)
        value = self.device.read(characteristic) if "read" in (properties or []) else None
        if value is None:
            return None, NOT_FOUND if properties is None else READ_NOT_PERMITTED
        return value[:VALUE_BYTE_COUNT_MAX], None

    def notified(self, notification):
        """Returns the value as it is sent, or None if nobody would get it."""
        if notification.characteristic not in self.device.subscriptions:
            return self.device.violation("Nothing is subscribed to "
                                         f"{notification.characteristic}, so that an answer is "
                                         "lost.")
        return notification.value[:self.device.att_mtu - 3]  # ATT cuts it off.


class Shell:
    """Serves a device over the socket, one connection after the other, until a signal."""

    def __init__(self, device, options):
        self.device, self.output = device, Output(device, options.flash)
        self.faults = Faults(options)
        self.attributes = Attributes(device, self.faults)
        self.path = options.socket

    def run(self):
        if os.path.exists(self.path):
            os.unlink(self.path)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(self.path)
        listener.listen()
        self.output.event("listening", socket=self.path)
        try:
            while True:
                connection, _ = listener.accept()
                self.serve(connection)
                time.sleep(self.device.away_milliseconds / 1000)
                self.device.away_milliseconds = 0
        finally:
            listener.close()
            os.unlink(self.path)

    def serve(self, connection):
        device = self.device
        connection.settimeout(30)
        self.connection, self.lines = connection, b""
        device.is_leaving = False
        device.subscriptions.clear()
        device.notifications.clear()
        device.now = time.monotonic()
        device.connected()
        self.output.event("connected", address=device.address)
        try:
            self.send({"address": device.address, "attMTU": device.att_mtu,
                       "services": device.services})
            reason = self.exchange()
        except OSError:
            reason = "host"
        connection.close()
        device.notifications.clear()
        device.disconnected()
        self.output.flush_events()
        self.output.event("disconnected", by=reason)

    def exchange(self):
        """Returns who ended the connection: "host", "device", or "fault"."""
        due = None
        while True:
            notifications, self.device.now = self.device.notifications, time.monotonic()
            if due is None and notifications:
                delay = notifications[0].delay_milliseconds + self.faults.slow_milliseconds
                due = time.monotonic() + delay / 1000
            # Requests that have arrived go first, and then work: as on a device whose radio has
            # a higher priority than what it does with the requests.
            if not notifications and self.device.is_leaving:
                return "device"
            wait = 0 if due is None else max(due - time.monotonic(), 0)
            is_idle = due is None
            if select.select([self.connection], [], [], wait)[0]:
                self.device.now = time.monotonic()
                data = self.connection.recv(65536)
                if not data:
                    return "host"
                if not self.take(data):
                    return "fault"
            elif is_idle:
                worked = self.device.step()
                self.output.flush_events()
                if self.faults.loses_link(self.device):
                    return "fault"
                if not worked and not notifications and not self.device.is_leaving:
                    select.select([self.connection], [], [])
            if due is not None and time.monotonic() >= due and notifications:
                self.send_notification(notifications.popleft())
                due = None

    def take(self, data):
        """Returns whether the link is still there."""
        *lines, self.lines = (self.lines + data).split(b"\n")
        if len(self.lines) > LINE_BYTE_COUNT_MAX:
            self.device.violation("A line is longer than any attribute.")
            self.lines = b""
        for line in lines:
            self.take_line(line)
            self.output.flush_events()
            if self.faults.loses_link(self.device):
                return False
            if self.device.is_leaving:
                break
        return True

    def take_line(self, line):
        try:
            message = json.loads(line)
            op, characteristic = message["op"], message["characteristic"].lower()
            value = bytes.fromhex(message["value"]) if op in ("write", "command") else b""
            act = {"write": self.write, "command": self.command, "read": self.read,
                   "subscribe": self.subscribe}[op]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return self.device.violation(f"A line isn't an operation: {error!r}.")
        act(characteristic, value)

    def write(self, characteristic, value):
        self.send({"op": "written", "error": self.attributes.write(characteristic, value)})

    def command(self, characteristic, value):
        self.attributes.command(characteristic, value)

    def subscribe(self, characteristic, _):
        self.send({"op": "subscribed", "error": self.attributes.subscribe(characteristic)})

    def read(self, characteristic, _):
        value, error = self.attributes.read(characteristic)
        answer = {"op": "value", "value": (value or b"").hex()}
        self.send(answer if error is None else {**answer, "error": error})

    def send_notification(self, notification):
        value = self.attributes.notified(notification)
        if value is None:
            return self.output.flush_events()
        self.send({"op": "notify", "characteristic": notification.characteristic,
                   "value": value.hex()})

    def send(self, message):
        self.connection.sendall(json.dumps(message).encode() + b"\n")


def parser(description, needs_socket=True):
    """The options that all devices have."""
    parser = argparse.ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument("--socket", metavar="PATH", required=needs_socket)
    parser.add_argument("--mtu", type=int, default=247, help="the MTU of ATT, 23 to 517")
    parser.add_argument("--flash", metavar="FILE",
                        help="the flash is written here at each activation and at the end")
    parser.add_argument("--seed", default="1", help="of every fault that is drawn")
    parser.add_argument("--lose-link-at", type=int, action="append", default=[], metavar="BYTES",
                        help="lose the link when so many bytes of firmware arrived, with those "
                             "that arrived again; may be repeated")
    parser.add_argument("--drop-commands", type=float, default=0, metavar="PROBABILITY")
    parser.add_argument("--slow", type=int, default=0, metavar="MILLISECONDS",
                        help="before each notification")
    parser.add_argument("--flash-size", type=int, metavar="BYTES", help="what fits in the flash")
    return parser


def ends_by_signal(output):
    """SIGTERM and SIGINT write the flash and end the program with 0."""
    def end(*_):
        output.write_flash()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)


def serve(device, options):
    """Serves the device until a signal."""
    shell = Shell(device, options)
    ends_by_signal(shell.output)
    try:
        shell.run()
    except BrokenPipeError:  # Nobody reads the events any longer.
        shell.output.write_flash()
        sys.stdout = None
        sys.exit(0)
