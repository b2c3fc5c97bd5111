#!/usr/bin/env python3
"""In the guest: controllers whose links have connection events, as a radio's have.

    radio.py CONTROLLERS INTERVAL_MS PACKETS

btvirt carries data from one controller to the other as soon as it gets it. This stands between the kernel
and btvirt (`btvirt -s`): commands and events pass through, so that it is btvirt that advertises, scans and
connects; data goes from here to the other controller's host, at the next connection event. There is one every
INTERVAL_MS, and in each either side sends at most PACKETS packets of the link layer, of up to 251 bytes. So a
request and its response take two events, and no more than 251 x PACKETS bytes go one way in one, whatever
the processor could do. The kernel may hand over two events' packets ahead.

It also mends and adds:
- btvirt calls such controllers 00:AA:01:00:00:42, 00:AA:01:01:00:42 and so on; here they have the addresses
  that its own have, 00:AA:01:00:00:00, 00:AA:01:01:00:01.
- btvirt (5.66) announces the handle that the link has at its other end, and carries data by that too: with
  two links it mixes them up, and the kernel gets to fault. Here either end has its own.
- Advertisements are heard with another strength each time, from -40 to -69 dBm.

It runs until btvirt ends.
"""
import collections
import os
import select
import socket
import sys
import time

SERVER = "/tmp/bt-server-le"
COMMAND, DATA, EVENT, VENDOR = 1, 2, 4, 0xFF
# Of the packets that HCI has: the length of type and header, and where the length of the rest is.
HEADERS = {COMMAND: (4, slice(3, 4)), DATA: (5, slice(3, 5)), EVENT: (3, slice(2, 3))}
# The longest payload of a link-layer packet with the data length extension.
PACKET_BYTES = 251
# Of two bytes before data: the handle of the link in 12 bits, and whether it begins a packet of L2CAP, which
# a host says to its controller in another way than a controller to its host.
HANDLE_MASK, CONTINUES, BEGINS = 0x0FFF, 0x1000, 0x2000

DISCONNECTION_COMPLETE, COMMAND_COMPLETE, NUMBER_OF_COMPLETED_PACKETS, LE_META = 5, 0x0E, 0x13, 0x3E
# The command that asks for the buffers: its opcode, and where in its answer the length of a buffer (2 bytes)
# and their number (1 byte) are.
LE_READ_BUFFER_SIZE = (0x2002).to_bytes(2, "little")
BUFFERS = slice(7, 10)
# New links, by their subevent: status, handle and the peer's address are where they are in all of them.
CONNECTION_COMPLETE = {0x01, 0x0A}
STATUS, HANDLE, PEER = 4, slice(5, 7), slice(9, 15)
# What btvirt calls the first link of a controller; the next one has the next number that is free.
FIRST_HANDLE = 42
# Advertising reports, by their subevent: where the signal strength is.
RSSI_OF_REPORT = {0x02: -1, 0x0D: 18}

# The addresses that btvirt gives, as they are in packets, and those instead.
ADDRESSES = [(bytes([0x42, 0, n, 1, 0xAA, 0]), bytes([n, 0, n, 1, 0xAA, 0])) for n in range(4)]


class Controller:
    """A controller of the kernel's, and its other half in btvirt."""

    def __init__(self, number, buffer_count):
        self.address = ADDRESSES[number][1]
        self.buffers = PACKET_BYTES.to_bytes(2, "little") + bytes([buffer_count])
        self.half = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.half.connect(SERVER)
        self.host = os.open("/dev/vhci", os.O_RDWR)
        os.write(self.host, bytes([VENDOR, 0]))
        created = os.read(self.host, 64)
        if created[0] != VENDOR:
            sys.exit(f"radio.py: /dev/vhci answered {created.hex()}")
        # The peers' addresses by the handles of the links.
        self.links = {}
        self.waiting = collections.deque()
        # What the last event sent more than it had room for.
        self.overdrawn = 0
        self.unread = b""
        self.report_count = 0

    def take_from_host(self):
        packet = os.read(self.host, 4096)
        if packet[0] == DATA:
            self.waiting.append(packet)
            return
        for real, shown in ADDRESSES:
            packet = packet.replace(shown, real)
        self.half.sendall(packet)

    def take_from_half(self):
        """Its packets come as a stream, the kernel takes them one by one."""
        received = self.half.recv(65536)
        if not received:
            sys.exit()
        stream, start = self.unread + received, 0
        while end := end_of_packet(stream, start):
            os.write(self.host, self.for_host(stream[start:end]))
            start = end
        self.unread = stream[start:]

    def for_host(self, packet):
        if packet[1] == COMMAND_COMPLETE and packet[4:6] == LE_READ_BUFFER_SIZE:
            return packet[: BUFFERS.start] + self.buffers + packet[BUFFERS.stop :]
        for real, shown in ADDRESSES:
            packet = packet.replace(real, shown)
        if packet[1] == DISCONNECTION_COMPLETE and packet[3] == 0:
            ended = int.from_bytes(packet[4:6], "little")
            self.links.pop(ended, None)
            # The next link may get its number.
            self.waiting = collections.deque(
                data for data in self.waiting if handle_of(data) != ended
            )
        elif packet[1] == LE_META and packet[3] in CONNECTION_COMPLETE and packet[STATUS] == 0:
            handle = FIRST_HANDLE
            while handle in self.links:
                handle += 1
            self.links[handle] = packet[PEER]
            return packet[: HANDLE.start] + handle.to_bytes(2, "little") + packet[HANDLE.stop :]
        elif packet[1] == LE_META and packet[3] in RSSI_OF_REPORT:
            self.report_count += 1
            packet = bytearray(packet)
            packet[RSSI_OF_REPORT[packet[3]]] = 0x100 - 40 - self.report_count % 30
        return packet

    def connection_event(self, packet_count, controllers):
        """Sends what there is room for, and tells the host of how much it is rid."""
        left, counts = packet_count - self.overdrawn, {}
        while self.waiting and left > 0:
            packet = self.waiting.popleft()
            left -= -(-(len(packet) - 5) // PACKET_BYTES)
            word, handle = int.from_bytes(packet[1:3], "little"), handle_of(packet)
            # Of a link that has ended the kernel has its buffers back.
            if handle in self.links:
                counts[handle] = counts.get(handle, 0) + 1
                other = controllers.get(self.links[handle])
                if other is not None:
                    other.hear(self.address, word & CONTINUES or BEGINS, packet[3:])
        self.overdrawn = max(0, -left)
        for handle, count in counts.items():
            completed = bytes([1]) + handle.to_bytes(2, "little") + count.to_bytes(2, "little")
            os.write(self.host, bytes([EVENT, NUMBER_OF_COMPLETED_PACKETS, len(completed)]) + completed)

    def hear(self, address, boundary, rest):
        for handle, peer in self.links.items():
            if peer == address:
                os.write(self.host, bytes([DATA]) + (handle | boundary).to_bytes(2, "little") + rest)


def handle_of(data):
    return int.from_bytes(data[1:3], "little") & HANDLE_MASK


def end_of_packet(stream, start):
    """Where the packet that begins there ends; None where not all of it has come."""
    if start == len(stream):
        return None
    if stream[start] not in HEADERS:
        sys.exit(f"radio.py: btvirt sent a packet of type {stream[start]}")
    header, length = HEADERS[stream[start]]
    end = start + header + int.from_bytes(stream[start + length.start : start + length.stop], "little")
    return end if start + header <= len(stream) and end <= len(stream) else None


def main():
    count, interval, packet_count = int(sys.argv[1]), float(sys.argv[2]) / 1000, int(sys.argv[3])
    # A radio is never late because a program computes.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    while not os.path.exists(SERVER):
        time.sleep(0.05)
    poll, actions, controllers = select.epoll(), {}, {}
    for number in range(count):
        controller = Controller(number, 2 * packet_count)
        controllers[controller.address] = controller
        actions[controller.host] = controller.take_from_host
        actions[controller.half.fileno()] = controller.take_from_half
    for file in actions:
        poll.register(file, select.EPOLLIN)
    next_event = time.monotonic()
    while True:
        # What could not be sent in an event that has passed is not made up for.
        now = time.monotonic()
        if now > next_event:
            next_event += ((now - next_event) // interval + 1) * interval
        is_waiting = any(controller.waiting for controller in controllers.values())
        for file, _ in poll.poll(next_event - now if is_waiting else None):
            actions[file]()
        if is_waiting and time.monotonic() >= next_event:
            for controller in controllers.values():
                controller.connection_event(packet_count, controllers)


if __name__ == "__main__":
    main()
