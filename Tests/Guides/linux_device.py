#!/usr/bin/env python3
"""Builds the device of the guide for Linux as its page says, and pushes to it:

    linux_device.py FOLDER --tool bleota

FOLDER is what an archive of `make embedded-release` holds: include, libBLEOTAReceiverC.a and guides. The compiler is cc,
and what verifies is Mbed TLS with the PSA Crypto API, as Debian has it (libmbedtls-dev).
"""

import argparse
import json
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import bundle  # noqa: E402 - after the line above on purpose

SLOT_BYTE_COUNT = 1 << 20
BLOCK_BYTE_COUNT = 4096
# Of a push that has to last until the device is killed: 16 chunks, and then a pause of 20 ms.
SLOWLY = ["--burst", "16:20"]
# What `bleota push` ends with where the receiver refuses an image.
REFUSED = 65
SECONDS_MAX = 120


class Device:
    """The program of the guide; `with` ends it."""

    def __init__(self, program, folder):
        self.flash, self.socket = folder / "flash.bin", folder / "device.socket"
        self.process = subprocess.Popen([program, self.flash, self.socket], stderr=subprocess.PIPE, text=True)
        self.lines = []

    def __enter__(self):
        self.wait_until_it_listens()
        return self

    def __exit__(self, *_):
        self.cut_power()

    def wait_until_it_listens(self):
        """A link that says nothing and goes is none to the device."""
        while self.process.poll() is None:
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as link:
                try:
                    return link.connect(str(self.socket))
                except OSError:
                    time.sleep(0.01)
        raise AssertionError("the device has ended: " + self.process.stderr.read())

    def cut_power(self):
        self.process.kill()
        self.lines += self.process.stderr.read().splitlines()
        self.process.wait()

    def next_line(self):
        line = self.process.stderr.readline()
        if not line:
            raise AssertionError("the device has ended: " + "; ".join(self.lines[-5:]))
        self.lines.append(line.rstrip("\n"))
        return self.lines[-1]

    def stores(self, byte_count):
        """Waits until so much is durable."""
        while True:
            event, _, number = self.next_line().partition(" ")
            if event == "ended":
                raise AssertionError("the transfer ended before the device was killed")
            if event == "durable" and int(number) >= byte_count:
                return

    def ends(self):
        """Waits for the end of a session, and returns the reason's text."""
        while True:
            words = self.next_line().split(" ", 2)
            if words[0] == "ended":
                return words[2]

    def has(self, image):
        return self.flash.read_bytes()[:SLOT_BYTE_COUNT].startswith(image)


class Test:
    def __init__(self, archive, tool, folder):
        self.archive, self.tool, self.folder = archive, tool, folder
        self.random = random.Random(1)

    def compile(self, name, *sources):
        """One command, as the page has it."""
        output = self.folder / name
        guides = self.archive / "guides"
        command = ["cc", *sources, "-I", self.archive / "include", "-I", guides / "trust", "-I", self.folder,
                   self.archive / "libBLEOTAReceiverC.a"]
        if any("psa" in str(source) for source in sources):
            command.append("-lmbedcrypto")
        subprocess.run([*command, "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-o", output], check=True)
        return output

    def image(self, name, byte_count):
        data = self.random.randbytes(byte_count)
        path = self.folder / name
        path.write_bytes(data)
        return path, data

    def pushing(self, path, device, *options):
        command = [self.tool, "push", path, "--connect", f"unix:{device.socket}", "--json", *options]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def push(self, path, device, *options):
        """The status, and the last thing that push said."""
        process = self.pushing(path, device, *options)
        output, errors = process.communicate(timeout=SECONDS_MAX)
        events = [json.loads(line) for line in output.splitlines()]
        return process.returncode, (events[-1] if events else {}), errors

    def signed(self, key, path, **options):
        output = path.with_suffix(".bleota")
        attributes = bundle.hardware("acme/lamp:3")
        output.write_bytes(bundle.bundle(path.read_bytes(), key, attributes, **options))
        return output

    def first_try(self):
        """Without a key: a push is verified, and one that was cut at 70 % goes on."""
        source = self.archive / "guides/linux/device.c"
        assert len(source.read_text().splitlines()) <= 80, "the device has more than 80 lines"
        program = self.compile("unsigned", "-DTAKE_UNSIGNED", source)
        path, data = self.image("first.bin", 300_000)
        with Device(program, self.folder) as device:
            self.verifies(path, data, device)
        path, data = self.image("second.bin", 700_000)
        with Device(program, self.folder) as device:
            push = self.pushing(path, device, *SLOWLY)
            device.stores(len(data) * 7 // 10)
            device.cut_power()
            push.send_signal(signal.SIGKILL)
            push.communicate()
        assert not device.has(data)
        with Device(program, self.folder) as device:
            result = self.verifies(path, data, device)
        kept = [int(line.split()[1]) for line in device.lines if line.startswith("resumed")]
        assert kept and kept[0] >= len(data) * 7 // 10 - BLOCK_BYTE_COUNT, device.lines[:5]
        assert result["resumedFromByte"] == kept[0], result
        return f"went on at {kept[0]} of {len(data)} bytes"

    def verifies(self, path, data, device):
        status, result, errors = self.push(path, device, "--wait-confirmed")
        assert status == 0 and result.get("verified"), (status, result, errors, device.lines[-5:])
        assert device.has(data)
        return result

    def with_psa(self):
        """What the key has signed, and nothing else."""
        key, other = bundle.Key(bundle.N // 3), bundle.Key(bundle.N // 5)
        (self.folder / "release_key.h").write_text(key.source())
        guides = self.archive / "guides"
        program = self.compile("signed", guides / "linux/device.c", guides / "trust/trust_psa.c")
        path, data = self.image("third.bin", 100_000)
        with Device(program, self.folder) as device:
            self.is_refused(path, device, "the image has no signature, but the policy requires one")
            self.is_refused(self.signed(other, path), device,
                            "none of the signatures is by a key that the receiver trusts")
            self.is_refused(self.signed(key, path, flips_signature=True), device,
                            "a signature names a trusted key, but is not valid")
            assert not device.has(data)
            self.verifies(self.signed(key, path), data, device)
        return "an unsigned, another's and a spoilt image are refused"

    def with_the_tool(self):
        """The commands of the page: the tool makes the key, prints it as C, and signs."""
        if "--algorithm" not in self.run("key", "generate", "--help"):
            return "left out: this tool makes no keys of P-256"
        path, _ = self.image("fourth.bin", 100_000)
        private, second = self.folder / "release.pem", self.folder / "second.pem"
        for key in (private, second):
            self.run("key", "generate", "--algorithm", "p256", key)
        header = self.run("key", "show", f"{private}.pub", f"{second}.pub", "--c")
        (self.folder / "release_key.h").write_text(header)
        guides = self.archive / "guides"
        program = self.compile("tool", guides / "linux/device.c", guides / "trust/trust_psa.c")
        with Device(program, self.folder) as device:
            self.is_refused(path, device, "the image has no signature, but the policy requires one")
        # Either key of the two is enough, as while one replaces the other.
        for key in (private, second):
            path, data = self.image(f"by-{key.stem}.bin", 100_000)
            signed = self.folder / f"{key.stem}.bleota"
            self.run("sign", path, "--key", key, "--hardware", "acme/lamp:3", "--output", signed)
            with Device(program, self.folder) as device:
                self.verifies(signed, data, device)
        return "what the tool signs with either of two keys is taken"

    def run(self, *words):
        """What the tool prints."""
        return subprocess.run([self.tool, *words], check=True, capture_output=True, text=True).stdout

    def is_refused(self, path, device, reason):
        status, _, errors = self.push(path, device)
        assert status == REFUSED, (status, errors)
        said = device.ends()
        assert said == reason, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("--tool", type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bleota-guide-") as folder:
        test = Test(options.archive.resolve(), options.tool.resolve(), pathlib.Path(folder))
        for part in (test.first_try, test.with_psa, test.with_the_tool):
            print(f"passed {part.__name__}: {part()}", flush=True)


main()
