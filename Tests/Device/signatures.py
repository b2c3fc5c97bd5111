"""Images signed with ECDSA over P-256, and everything that must not pass for one."""

import json
import os
import pathlib
import subprocess
import tempfile

import sender
from checks import expect, expect_image, image, started
from device import BUILD, ROOT, Device
from sender import Transfer, push, wire

from reference import ecdsa_signing  # In spec/vectors, where `sender` looks.

import p256_cases

P256 = 2
VECTORS = ROOT / "spec" / "vectors" / "manifest.json"


class Owner:
    """Who signs images."""

    def __init__(self, number):
        self.seed = wire.sha256(b"bleota device key %d" % number)
        self.key = ecdsa_signing.public_key(self.seed)

    def sign(self, transfer):
        """Puts a signature behind the manifest of a transfer, which has none."""
        value = ecdsa_signing.sign(self.seed, wire.signed_message(transfer.manifest))
        entry = wire.signature(P256, wire.sha256(self.key)[:8], value)
        return with_manifest(transfer, transfer.manifest[:-2] + len(entry).to_bytes(2, "little") + entry)


def with_manifest(transfer, manifest):
    transfer.manifest = manifest
    transfer.tag = wire.sha256(manifest)[:8].hex()
    return transfer


def unsigned(board, byte_count, number=0):
    """An image for this board, which says so."""
    hardware = bytes(2) + b"\2\0" + ("bleota/%s" % board.name).encode()
    return Transfer(image(byte_count, number), board.k, attributes=[(0x81, hardware)])


class Trusting:
    """A device that takes only what the owner of one key has signed; `with` gives it and its line."""

    def __init__(self, board, key):
        self.folder = tempfile.TemporaryDirectory(prefix="bleota-device-")
        (pathlib.Path(self.folder.name) / "key").write_bytes(key)
        self.board = board

    def __enter__(self):
        self.device = started(self.board, "trust=key", folder=self.folder.name)
        return self.device, self.device.connect()

    def __exit__(self, *error):
        self.device.__exit__(*error)
        self.folder.cleanup()


def expect_refusal(line, transfer, names, what):
    try:
        push(line, transfer)
    except sender.Ended as end:
        expect(end.reason in [wire.REASONS[name] for name in names], "%s: %s" % (what, end))
        expect(transfer.bytes_sent == 0, "%s: image bytes were sent" % what)
        return end.reason
    expect(False, "%s was taken" % what)


def push_signed_images(board, options):
    """Whoever has the key, and nobody else: not who has another one, and not who has none."""
    owner, stranger = Owner(1), Owner(2)
    with Trusting(board, owner.key) as (device, line):
        for number in (1, 2):
            transfer = owner.sign(unsigned(board, 20_000 * number, number))
            push(line, transfer)
            ended = expect_image(device, transfer.image)
            expect_refusal(line, unsigned(board, 500), ["unsigned"], "an unsigned image")
            expect_refusal(line, stranger.sign(unsigned(board, 500)), ["untrustedKey"], "a stranger's image")
            other = Transfer(image(500), board.k, attributes=[(0x81, bytes(2) + b"\2\0other/device")])
            expect_refusal(line, owner.sign(other), ["wrongHardware"], "an image for others")
    return "stack %d bytes" % ended["stack_peak"]


def refuse_each_edit(board, options):
    """One bit of each byte of a signed manifest changed: refused, and the reason is the signature or the form."""
    owner = Owner(1)
    right = owner.sign(unsigned(board, 500))
    signature = len(right.manifest) - 64
    with Trusting(board, owner.key) as (device, line):
        for place in range(len(right.manifest)):
            changed = bytearray(right.manifest)
            changed[place] ^= 1 << place % 8
            transfer = with_manifest(unsigned(board, 500), bytes(changed))
            names = ["badSignature"]
            if place < signature:
                names += ["untrustedKey", "malformedManifest", "unknownAttribute", "unsigned", "tooLarge"]
            expect_refusal(line, transfer, names, "byte %d changed" % place)
        push(line, right)
        expect_image(device, right.image)
    return "%d bytes" % len(right.manifest)


def signature_vectors(board, options):
    """The manifests of spec/vectors whose signatures of P-256 are right are for other hardware, which is asked next."""
    shown = {}
    for vector in json.loads(VECTORS.read_text("ascii"))["vectors"]:
        for member, names in (("signedBy", ["wrongHardware"]), ("notSignedBy", ["badSignature", "untrustedKey"])):
            for key in vector.get(member, []):
                if len(key) == 130:
                    shown.setdefault(key, []).append((vector["id"], bytes.fromhex(vector["hex"]), names))
    for key, cases in shown.items():
        with Trusting(board, bytes.fromhex(key)) as (device, line):
            for name, manifest, names in cases:
                expect_refusal(line, with_manifest(Transfer(b"\0"), manifest), names, name)
    return "%d keys, %d answers" % (len(shown), sum(map(len, shown.values())))


def push_signed_with_the_tool(board, options):
    """A key and signatures that the tool makes, from the key to the image that runs."""
    if not options.tool:
        return "left out: no --tool"

    def tool(*words, status=0):
        result = subprocess.run([os.path.abspath(options.tool), *map(str, words)],
                                capture_output=True, text=True, timeout=120)
        expect(result.returncode == status, result.stdout + result.stderr)

    with tempfile.TemporaryDirectory(prefix="bleota-keys-") as name:
        folder = pathlib.Path(name)
        (folder / "image").write_bytes(image(50_001))
        for key in ("owner", "stranger"):
            tool("key", "generate", "--algorithm", "p256", folder / key)
            tool("sign", folder / "image", "--key", folder / key, "--hardware", "bleota/%s" % board.name,
                 "--no-compression", "--output", folder / (key + ".bleota"))
        with Trusting(board, p256_cases.key_of_pem(folder / "owner.pub")) as (device, line):
            line.close()  # The tool connects in its place.
            link = "serial:%s" % device.serial
            tool("push", folder / "stranger.bleota", "--connect", link, status=65)
            tool("push", folder / "owner.bleota", "--connect", link)
            expect_image(device, image(50_001))


def verifier_cases(board, options):
    """The verifier alone, with numbers and points that no signer makes; and mbed TLS, if it was built."""
    if board.name != "mps2-an386":
        return "left out: its program is for the other board"
    cases = list(p256_cases.cases())
    expect(not p256_cases.wrongly_said(), "the cases are wrong: %s" % p256_cases.wrongly_said())
    programs = [name for name in ("verifier", "verifier-mbedtls")
                if name == "verifier" or (BUILD / board.name / (name + ".elf")).exists()]
    for program in programs:
        show_cases(board, program, cases)
    return "%d cases, %d of them right: %s" % (
        len(cases), sum(case.is_right for case in cases), ", ".join(programs))


def show_cases(board, program, cases):
    with tempfile.TemporaryDirectory(prefix="bleota-device-") as folder:
        (pathlib.Path(folder) / "cases").write_bytes(b"".join(case.record for case in cases))
        with Device(board, folder=folder, program=program) as device:
            for case in cases:
                event = device.next_event("verified", seconds=60)
                expect(event["is_right"] == case.is_right, "%s: %s: %s" % (program, case.name, event))
            expect(device.next_event("end")["count"] == len(cases), "not all cases were read")
