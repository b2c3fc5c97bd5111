"""The serial line to a device: frames in SLIP packets (RFC 1055) over a Unix socket."""

import select
import socket
import time

END, ESC, ESC_END, ESC_ESC = 0xC0, 0xDB, 0xDC, 0xDD
CONTROL, DATA = 0, 1


def packed(channel, frame):
    """One packet: an END, the channel and the frame with END and ESC escaped, an END."""
    content = bytes([channel]) + frame
    content = content.replace(bytes([ESC]), bytes([ESC, ESC_ESC]))
    content = content.replace(bytes([END]), bytes([ESC, ESC_END]))
    return bytes([END]) + content + bytes([END])


def unpacked(packet):
    """(channel, frame) of what stands between two ENDs, or None."""
    content, escaped = bytearray(), False
    for byte in packet:
        if escaped:
            if byte not in (ESC_END, ESC_ESC):
                return None
            content.append(END if byte == ESC_END else ESC)
            escaped = False
        elif byte == ESC:
            escaped = True
        else:
            content.append(byte)
    if escaped or len(content) < 2 or content[0] > DATA:
        return None
    return content[0], bytes(content[1:])


class Line:
    """Keeps what arrived until it is asked for; writing waits while the device takes nothing."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.pending = b""
        self.frames = []

    def close(self):
        self.socket.close()

    def send(self, channel, frame):
        self.socket.sendall(packed(channel, frame))

    def send_raw(self, data):
        self.socket.sendall(data)

    def receive(self, seconds):
        """The next (channel, frame), or None if none came in this time."""
        deadline = time.monotonic() + seconds
        while not self.frames:
            left = deadline - time.monotonic()
            if not select.select([self.socket], [], [], max(left, 0))[0]:
                return None
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("the device has closed its line")
            *packets, self.pending = (self.pending + data).split(bytes([END]))
            self.frames += [frame for frame in map(unpacked, packets) if frame]
        return self.frames.pop(0)
