import BLEOTA
import Crypto
import Testing

@Suite("MCUboot images")
struct MCUbootTests {
    private func image(_ bytes: [UInt8]) throws(FirmwareError) -> FirmwareFile {
        try FirmwareFile(bytes: bytes, name: "app.bin")
    }

    private func error(_ bytes: [UInt8]) -> FirmwareError? {
        imageError { () throws(FirmwareError) in try image(bytes) }
    }

    private static let protected = [MCUbootWriter.Entry(type: 0x50, value: [7, 0, 0, 0])]
    private static let signature = MCUbootWriter.Entry(type: 0x22, value: Array(1...70))

    @Test("Header and TLVs are shown, and the bytes are sent as they are")
    func description() throws {
        var writer = MCUbootWriter(loadAddress: 0x2000_0000, headerByteCount: 64, flags: 0x20)
        writer.protected = Self.protected
        writer.unprotected = [.init(type: 0x01, value: [1, 2]), .init(type: 0x00A5, value: [])]
        let image = try image(writer.bytes)
        #expect(image.format == .mcuboot)
        #expect(image.version == "1.2.3+4")
        #expect(image.loadAddress == nil && image.regions == [])
        let description = try #require(image.mcuboot)
        #expect(description.loadAddress == 0x2000_0000)
        #expect(description.flags == 0x20)
        #expect(description.headerByteCount == 64)
        #expect(description.bodyByteCount == 20)
        #expect(description.hashCheck == .verified)
        #expect(description.paddingByteCount == 0)
        #expect(
            description.tlvs.map(\.description)
                == ["security counter (0x50)", "sha256 (0x10)", "key hash (0x01)", "0xa5"]
        )
        #expect(description.tlvs.map(\.byteCount) == [4, 32, 2, 0])
        #expect(description.tlvs.map(\.isProtected) == [true, false, false, false])
        #expect(try image.allBytes() == writer.bytes)
    }

    @Test("A build number of zero is left out of the version")
    func version() throws {
        var bytes = MCUbootWriter(hasHash: false, unprotected: [.init(type: 0x25, value: [])]).bytes
        bytes.replaceSubrange(20..<28, with: [255, 255, 255, 255, 0, 0, 0, 0])
        #expect(try image(bytes).version == "255.255.65535")
    }

    @Test("A file is checked as bytes in memory are, however large")
    func file() throws {
        var random = ImageRandom()
        let scratch = ImageScratch()
        let writer = MCUbootWriter(headerByteCount: 512, body: random.bytes(300_000))
        var bytes = writer.bytes
        let good = try FirmwareFile(contentsOf: scratch.write(bytes, to: "app.bin"))
        #expect(good.mcuboot?.hashCheck == .verified)
        #expect(try good.allBytes() == bytes)
        bytes[Int.random(in: 512..<300_512, using: &random)] ^= 0x10
        let path = scratch.write(bytes, to: "app.bin")
        let error = imageError { () throws(FirmwareError) in try FirmwareFile(contentsOf: path) }
        #expect(error?.code == .malformedMCUboot)
        #expect(
            error?.description
                == "\(path) is an MCUboot image that can't boot: its bytes do not match the hash "
                + "in the TLV sha256 (0x10); sign or download it again, because it was "
                + "damaged or changed after signing."
        )
    }

    @Test("Every cut is refused, as long as the magic number is there")
    func cuts() throws {
        for protected in [[], Self.protected] {
            let bytes = MCUbootWriter(protected: protected, unprotected: [Self.signature]).bytes
            #expect(try image(bytes).format == .mcuboot)
            for byteCount in 1..<4 {
                #expect(try image(Array(bytes.prefix(byteCount))).format == .raw)
            }
            for byteCount in 4..<bytes.count {
                let error = error(Array(bytes.prefix(byteCount)))
                #expect(error?.code == .malformedMCUboot, "cut to \(byteCount) bytes")
                #expect(error?.description.contains("it was cut short") == true)
            }
        }
    }

    @Test("Every flipped bit is refused, or makes the image raw where it hits the magic number")
    func flips() throws {
        for protected in [[], Self.protected] {
            let bytes = MCUbootWriter(protected: protected).bytes
            for bit in 0..<(8 * bytes.count) {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << (bit % 8)
                if bit < 32 {
                    #expect(try image(damaged).format == .raw)
                } else {
                    #expect(error(damaged)?.code == .malformedMCUboot, "bit \(bit)")
                }
            }
        }
    }

    @Test("A flipped bit in a signature is left to the device, which has the key")
    func signatureFlips() throws {
        let unsigned = MCUbootWriter().bytes
        let bytes = MCUbootWriter(unprotected: [Self.signature]).bytes
        let value = (unsigned.count + 4)..<bytes.count
        for bit in (8 * unsigned.count)..<(8 * bytes.count) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            if value.contains(bit / 8) {
                #expect(try image(damaged).mcuboot == image(bytes).mcuboot)
            } else if let image = try? image(damaged) {
                // Another type is shown; a flip to a second hash or a wrong length was refused.
                #expect(image.mcuboot?.tlvs != (try self.image(bytes)).mcuboot?.tlvs)
            }
        }
    }

    @Test("Each broken field has its sentence")
    func sentences() {
        let hash = MCUbootWriter.Entry(type: 0x10, value: [UInt8](repeating: 0, count: 32))
        func patched(_ offset: Int, _ bytes: [UInt8], _ writer: MCUbootWriter = .init()) -> [UInt8]
        {
            var image = writer.bytes
            image.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            return image
        }
        let withCounter = MCUbootWriter(protected: Self.protected)
        let damaged = "build, sign or download it again, because it is damaged."
        let cut = "build or download it again, because it was cut short."
        let sign = "build it again and sign it with imgtool."
        let cases: [([UInt8], String)] = [
            (
                Array(MCUbootWriter().bytes.prefix(31)),
                "the header should end at byte 32, but the file has only 31 bytes; \(cut)"
            ),
            (
                patched(8, [31, 0]),
                "its header claims to have 31 bytes, but a header has at least 32; \(damaged)"
            ),
            (
                MCUbootWriter(body: []).bytes,
                "its header specifies an empty program; \(sign)"
            ),
            (
                patched(12, [0xFF, 0xFF, 0xFF, 0xFF]),
                "the program should end at byte 4294967327, but the file has only 92 bytes; "
                    + cut
            ),
            (
                patched(52, [0x08, 0x69]),
                "byte 52 is 0x6908, but the TLV area must begin with 0x6907; \(damaged)"
            ),
            (
                patched(52, [0x07, 0x69], withCounter),
                "byte 52 is 0x6907, but the protected TLV area must begin with 0x6908; \(damaged)"
            ),
            (
                patched(54, [3, 0]),
                "the TLV area claims to have 3 bytes, but its own header has 4; \(damaged)"
            ),
            (
                patched(10, [13, 0], withCounter),
                "the protected TLV area claims to have 12 bytes, "
                    + "but the image header specifies 13; \(damaged)"
            ),
            (
                patched(54, [41, 0]),
                "the TLV area should end at byte 93, but the file has only 92 bytes; \(cut)"
            ),
            (
                patched(58, [33, 0]),
                "the TLV sha256 (0x10) ends at byte 93, but its area ends at byte 92; \(damaged)"
            ),
            (
                patched(58, [29, 0]),
                "the TLV at byte 89 has only 3 bytes left in its area, "
                    + "but needs at least 4; \(damaged)"
            ),
            (
                MCUbootWriter(hasHash: false, unprotected: [.init(type: 0x10, value: [1])]).bytes,
                "the TLV sha256 (0x10) has 1 byte, but a hash has 32; \(damaged)"
            ),
            (
                MCUbootWriter(unprotected: [hash]).bytes,
                "its bytes do not match the hash in the TLV sha256 (0x10); sign or download it "
                    + "again, because it was damaged or changed after signing."
            ),
            (
                MCUbootWriter(hasHash: false, unprotected: [Self.signature]).bytes,
                "it has neither a hash nor a signature of the whole image; \(sign)"
            ),
            (
                MCUbootWriter(flags: 4, hasHash: false, unprotected: [hash]).bytes,
                "its header marks it as encrypted, but it has no TLV with the key, and its "
                    + "bytes do not match its hash; \(damaged)"
            ),
            (
                MCUbootWriter(padding: [0xFF, 0xFE]).bytes,
                "byte 93, after the TLVs, is 0xFE, which is neither padding nor a slot trailer; "
                    + "build or download it again, because something was appended to it."
            ),
        ]
        for (bytes, sentence) in cases {
            let error = error(bytes)
            #expect(error?.code == .malformedMCUboot)
            #expect(
                error?.description == "app.bin is an MCUboot image that can't boot: \(sentence)"
            )
        }
    }

    @Test("SHA-384 and SHA-512 are verified as SHA-256 is")
    func longHashes() throws {
        let hashed = MCUbootWriter().hashed
        let hashes: [MCUbootWriter.Entry] = [
            .init(type: 0x11, value: Array(SHA384.hash(data: hashed))),
            .init(type: 0x12, value: Array(SHA512.hash(data: hashed))),
        ]
        for var hash in hashes {
            let good = MCUbootWriter(hasHash: false, unprotected: [hash]).bytes
            #expect(try image(good).mcuboot?.hashCheck == .verified)
            hash.value[9] ^= 1
            #expect(error(MCUbootWriter(hasHash: false, unprotected: [hash]).bytes) != nil)
            #expect(error(MCUbootWriter(unprotected: [hash]).bytes) != nil)
        }
    }

    @Test("The hash of an encrypted image is left to the device")
    func encrypted() throws {
        let key = MCUbootWriter.Entry(type: 0x32, value: [1, 2, 3])
        for flags: UInt32 in [4, 8] {
            let plain = MCUbootWriter(flags: flags, unprotected: [key])
            #expect(try image(plain.bytes).mcuboot?.hashCheck == .verified)
            var bytes = plain.bytes
            bytes[40] ^= 0xFF
            #expect(try image(bytes).mcuboot?.hashCheck == .encrypted)
        }
    }

    @Test("An image with a signature of its whole needs no hash")
    func wholeSignature() throws {
        let writer = MCUbootWriter(hasHash: false, unprotected: [.init(type: 0x25, value: [])])
        #expect(try image(writer.bytes).mcuboot?.hashCheck == .signatureOnly)
    }

    @Test("Padding to the slot is allowed, with its trailer, and nothing else")
    func padding() throws {
        let magic = MCUbootWriter.slotMagic
        let aligned: [UInt8] = [
            0x2D, 0xE1, 0x5D, 0x29, 0x41, 0x0B, 0x8D, 0x77, 0x67, 0x9C, 0x11, 0x0F, 0x1F, 0x8A,
        ]
        func erased(_ count: Int, _ byte: UInt8 = 0xFF) -> [UInt8] {
            .init(repeating: byte, count: count)
        }
        let good: [[UInt8]] = [
            erased(1), erased(70_000), erased(9, 0), magic, erased(100) + magic,
            erased(50, 0) + magic, erased(80) + [1] + erased(7) + magic,
            erased(80) + [1] + erased(15) + [16, 0] + aligned,
            erased(80) + [1] + erased(47) + [32, 0] + aligned,
        ]
        for padding in good {
            let image = try image(MCUbootWriter(padding: padding).bytes)
            #expect(image.mcuboot?.paddingByteCount == padding.count)
        }
        let bad: [[UInt8]] = [
            [1], erased(3) + [0], [0] + erased(3), magic + [0xFF],
            erased(5) + magic.dropLast() + [0x81],
            erased(80) + [2] + erased(7) + magic, erased(80) + [1] + erased(8) + magic,
            erased(80) + [1] + erased(7), erased(5) + [12, 0] + aligned,
            erased(5) + [4, 0] + aligned,
        ]
        for padding in bad {
            let error = error(MCUbootWriter(padding: padding).bytes)
            #expect(error?.code == .malformedMCUboot)
            #expect(error?.description.contains("neither padding nor a slot trailer") == true)
        }
    }
}
