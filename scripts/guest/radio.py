#!/usr/bin/env python3
"""In the guest: controllers whose link has connection events, as a radio's has.

    radio.py CONTROLLERS INTERVAL_MS PACKETS

btvirt carries data from one controller to the other as soon as it gets it. This stands between the kernel
and btvirt (`btvirt -s`): commands and events pass at once, data waits for the next connection event. There
is one every INTERVAL_MS, and in each either side sends at most PACKETS packets of the link layer, of up to
251 bytes. So a request and its response take two events, and no more than 251 x PACKETS bytes go one way in
one, whatever the processor could do. The kernel may hand over two events' packets ahead, where btvirt
itself takes one packet of 192 bytes at a time.

The controllers' addresses are 00:AA:01:00:00:42, 00:AA:01:01:00:42 and so on: btvirt names them so.

It runs until btvirt ends.
"""
import collections
import os
import selectors
import socket
import sys
import time

SERVER = "/tmp/bt-server-le"
COMMAND, DATA, EVENT, VENDOR = 1, 2, 4, 0xFF
# The longest payload of a link-layer packet with the data length extension.
PACKET_BYTES = 251
# Of the packets that HCI has: the length of the header behind the type, and where the payload's length is.
HEADERS = {COMMAND: (3, slice(2, 3)), DATA: (4, slice(2, 4)), EVENT: (2, slice(1, 2))}


# The event that answers a command, and the command that asks for the buffers: its opcode, and where in the
# event the length of a buffer (2 bytes) and their number (1 byte) are.
COMMAND_COMPLETE = 0x0E
LE_READ_BUFFER_SIZE = 0x2002
BUFFERS = slice(7, 10)


class Controller:
    """A controller of the kernel's, and its other half in btvirt."""

    def __init__(self, buffer_count):
        self.buffers = PACKET_BYTES.to_bytes(2, "little") + bytes([buffer_count])
        self.half = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.half.connect(SERVER)
        self.host = os.open("/dev/vhci", os.O_RDWR)
        os.write(self.host, bytes([VENDOR, 0]))
        created = os.read(self.host, 64)
        if created[0] != VENDOR:
            sys.exit(f"radio.py: /dev/vhci answered {created.hex()}")
        self.waiting = collections.deque()
        self.unread = b""
        # What the last event sent more than it had room for.
        self.overdrawn = 0

    def take_from_host(self):
        packet = os.read(self.host, 4096)
        if packet[0] == DATA:
            self.waiting.append(packet)
        else:
            self.half.sendall(packet)

    def take_from_half(self):
        """Returns whether btvirt is still there. Its packets come as a stream, the kernel takes them one by one."""
        received = self.half.recv(65536)
        self.unread += received
        while (length := length_of_first(self.unread)) and length <= len(self.unread):
            os.write(self.host, self.with_buffers(self.unread[:length]))
            self.unread = self.unread[length:]
        return bool(received)

    def with_buffers(self, packet):
        is_about_buffers = (
            packet[:2] == bytes([EVENT, COMMAND_COMPLETE])
            and int.from_bytes(packet[4:6], "little") == LE_READ_BUFFER_SIZE
        )
        if is_about_buffers:
            return packet[: BUFFERS.start] + self.buffers + packet[BUFFERS.stop :]
        return packet

    def connection_event(self, packet_count):
        left = packet_count - self.overdrawn
        while self.waiting and left > 0:
            packet = self.waiting.popleft()
            left -= -(-(len(packet) - 5) // PACKET_BYTES)
            self.half.sendall(packet)
        self.overdrawn = max(0, -left)


def length_of_first(stream):
    """The length of the packet that a stream begins with; None where its header is not there yet."""
    if not stream:
        return None
    if stream[0] not in HEADERS:
        sys.exit(f"radio.py: btvirt sent a packet of type {stream[0]}")
    header, length = HEADERS[stream[0]]
    if len(stream) < 1 + header:
        return None
    return 1 + header + int.from_bytes(stream[1:][length], "little")


def main():
    count, interval, packet_count = int(sys.argv[1]), float(sys.argv[2]) / 1000, int(sys.argv[3])
    # A radio is never late because a program computes.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    while not os.path.exists(SERVER):
        time.sleep(0.05)
    controllers = [Controller(2 * packet_count) for _ in range(count)]
    selector = selectors.DefaultSelector()
    for controller in controllers:
        selector.register(controller.host, selectors.EVENT_READ, controller.take_from_host)
        selector.register(controller.half, selectors.EVENT_READ, controller.take_from_half)
    next_event = time.monotonic()
    while True:
        # What could not be sent in an event that has passed is not made up for.
        now = time.monotonic()
        if now > next_event:
            next_event += ((now - next_event) // interval + 1) * interval
        is_waiting = any(controller.waiting for controller in controllers)
        for key, _ in selector.select(next_event - now if is_waiting else None):
            if key.data() is False:
                return
        if is_waiting and time.monotonic() >= next_event:
            for controller in controllers:
                controller.connection_event(packet_count)


if __name__ == "__main__":
    main()
