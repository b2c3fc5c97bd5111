#!/usr/bin/env python3
"""Makes packages and images for the tests of the devices, the same at every run.

    packages.py FOLDER [--size BYTES] [--only KIND]

It writes them into FOLDER and prints one line of JSON for each: what it is, and what is in it.

Secure DFU: the format is that of packages by PyPI's nrfutil 5.2.0 under Python 2.7: a zip with
manifest.json, and a .bin and a .dat, the init packet, for each part. Under Python 3.11, nrfutil
can be installed, but doesn't run. Legacy DFU: PyPI's adafruit-nrfutil makes them. MCUboot: see
mcuboot.py; the zip of two images has the manifest of nRF Connect SDK's page "DFU update files".
The images for ESP begin with the magic byte of the page "App Image Format" of ESP-IDF, and are no
more than that.
"""
import argparse, hashlib, json, os, shutil, struct, subprocess, sys, tempfile, zipfile

import ecdsa

import init_packet, mcuboot

LONG_AGO = (2020, 1, 1, 0, 0, 0)
PART_SIZE = 8192  # of SoftDevices and bootloaders


def some_bytes(byte_count, seed):
    """Bytes that don't compress and that differ for each seed."""
    blocks = (hashlib.sha256(f"{seed} {index}".encode()).digest()
              for index in range(-(-byte_count // 32)))
    return b"".join(blocks)[:byte_count]


def signing_key():
    """A key for tests: anybody has it."""
    secret = int.from_bytes(hashlib.sha256(b"bleota tests").digest(), "big")
    return ecdsa.SigningKey.from_secret_exponent(secret % ecdsa.NIST256p.order,
                                                 curve=ecdsa.NIST256p)


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, LONG_AGO)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)


def account(name, data):
    return {"part": name, "length": len(data), "sha256": hashlib.sha256(data).hexdigest()}


class Maker:
    def __init__(self, folder, size):
        self.folder = folder
        self.application = some_bytes(size, "application")
        self.softdevice = some_bytes(PART_SIZE, "softdevice")
        self.bootloader = some_bytes(PART_SIZE - 100, "bootloader")

    def path(self, name):
        return os.path.join(self.folder, name)

    def tell(self, name, what, **parts):
        listed = [account(part, data) for part, data in parts.items()]
        print(json.dumps({"file": name, "what": what, "parts": listed}))

    def write(self, name, data, what):
        with open(self.path(name), "wb") as file:
            file.write(data)
        self.tell(name, what, whole=data)

    # Secure DFU

    def secure(self, name, what, parts, key=None, **init):
        """parts: the names in the manifest, in the order of the update."""
        manifest, files, told = {}, {}, {}
        for part in parts:
            if part == "application":
                data, kind, sizes = self.application, init_packet.APPLICATION, {}
                more = {}
            else:
                data = self.softdevice + self.bootloader
                kind = init_packet.SOFTDEVICE_BOOTLOADER
                more = {"sd_size": len(self.softdevice), "bl_size": len(self.bootloader)}
                sizes = {"softdevice_size": more["sd_size"], "bootloader_size": more["bl_size"]}
            manifest[part] = {"bin_file": f"{part}.bin", "dat_file": f"{part}.dat"}
            if more:
                manifest[part]["info_read_only_metadata"] = more
            files[f"{part}.bin"] = told[part] = data
            files[f"{part}.dat"] = init_packet.made(kind, data, key=key, **sizes, **init)
        files["manifest.json"] = json.dumps({"manifest": manifest}, indent=4).encode()
        zipped(self.path(name), files)
        self.tell(name, what, **told)

    def all_secure(self):
        key = signing_key()
        with open(self.path("secure-public-key.pem"), "wb") as file:
            file.write(key.verifying_key.to_pem())
        both = ["softdevice_bootloader", "application"]
        self.secure("secure-application.zip", "an application, signed", both[1:], key)
        self.secure("secure-softdevice-bootloader.zip", "a SoftDevice with a bootloader, signed",
                    both[:1], key)
        self.secure("secure-all.zip", "a SoftDevice with a bootloader, then an application, signed",
                    both, key)
        self.secure("secure-unsigned.zip", "an application without a signature", both[1:])
        self.secure("secure-other-hardware.zip", "an application for hardware 51, signed",
                    both[1:], key, hardware_version=51)
        self.secure("secure-version-7.zip", "an application of version 7, signed", both[1:], key,
                    firmware_version=7)
        self.secure("secure-softdevice-0xb7.zip", "an application for SoftDevice 0xB7, signed",
                    both[1:], key, softdevices=[0xB7])

    # Legacy DFU

    def legacy(self, name, what, *arguments, **parts):
        program = shutil.which("adafruit-nrfutil", path=os.path.dirname(sys.executable)) \
            or shutil.which("adafruit-nrfutil")
        if program is None:
            sys.exit("packages.py needs adafruit-nrfutil: see requirements.txt.")
        with tempfile.TemporaryDirectory() as folder:
            command = [program, "dfu", "genpkg", *arguments]
            for part, data in parts.items():
                path = os.path.join(folder, part + ".bin")
                with open(path, "wb") as file:
                    file.write(data)
                command += [f"--{part}", path]
            made = os.path.join(folder, "made.zip")
            subprocess.run([*command, made], check=True, stdout=subprocess.DEVNULL)
            with zipfile.ZipFile(made) as archive:
                files = {entry: archive.read(entry) for entry in sorted(archive.namelist())}
        zipped(self.path(name), files)
        self.tell(name, what, **parts)

    def all_legacy(self):
        def words(data):  # Its sizes are numbers of words.
            return data[:len(data) // 4 * 4]

        application = words(self.application)
        self.legacy("legacy-application.zip", "an application", application=application)
        self.legacy("legacy-device-type-9.zip", "an application for devices of type 9",
                    "--dev-type", "9", application=application)
        self.legacy("legacy-softdevice-bootloader.zip", "a SoftDevice with a bootloader",
                    softdevice=self.softdevice, bootloader=words(self.bootloader))
        self.legacy("legacy-all.zip", "a SoftDevice with a bootloader, then an application",
                    softdevice=self.softdevice, bootloader=words(self.bootloader),
                    application=application)

    # MCUboot and ESP

    def all_images(self, size):
        payload = some_bytes(size, "mcuboot")
        protected = struct.pack("<HHI", 0x50, 4, 7)  # A security counter.
        first = mcuboot.made(payload, (2, 0, 0, 0))
        second = mcuboot.made(payload[::-1], (2, 1, 0, 3))
        self.write("mcuboot-2.0.0.bin", first, "an image of MCUboot, version 2.0.0")
        self.write("mcuboot-2.1.0.bin", mcuboot.made(payload, (2, 1, 0, 3), 32, protected),
                   "an image of MCUboot, version 2.1.0.3, with protected TLVs")
        self.write("mcuboot-0.9.0.bin", mcuboot.made(payload, (0, 9, 0, 0)),
                   "an image of MCUboot that is older than 1.0.0")
        broken = bytearray(first)
        broken[600] ^= 1
        self.write("mcuboot-broken.bin", bytes(broken), "an image whose hash is another")
        files = [{"type": "application", "image_index": str(index), "file": f"image{index}.bin",
                  "size": len(image), "version_MCUBOOT": version}
                 for index, (image, version) in enumerate([(first, "2.0.0+0"),
                                                           (second, "2.1.0+3")])]
        manifest = {"format-version": 0, "name": "bleota", "files": files}
        zipped(self.path("mcuboot-two-images.zip"), {
            "image0.bin": first, "image1.bin": second,
            "manifest.json": json.dumps(manifest, indent=4).encode()})
        self.tell("mcuboot-two-images.zip", "images of MCUboot for two pairs of slots",
                  image0=first, image1=second)
        self.write("esp.bin", b"\xe9" + some_bytes(size - 1, "esp"), "an image for ESP's OTA")


def main():
    parser = argparse.ArgumentParser(description="Makes packages for the tests of the devices.")
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--size", type=int, default=30_001, metavar="BYTES",
                        help="of applications and payloads; rounded down to words for Legacy DFU")
    parser.add_argument("--only", choices=["secure", "legacy", "images"], help="these packages")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    maker = Maker(options.folder, options.size)
    makers = {"secure": maker.all_secure, "legacy": maker.all_legacy,
              "images": lambda: maker.all_images(options.size)}
    for kind in [options.only] if options.only else makers:
        makers[kind]()


if __name__ == "__main__":
    main()
