import BLEOTA
import Testing

@Suite("Recognition by content")
struct ImageRecognitionTests {
    private func format(_ bytes: [UInt8]) -> FileFormat? {
        do {
            return try FirmwareFile(bytes: bytes, name: "firmware").format
        } catch {
            return error.code == .malformedHex ? .intelHex : .mcuboot
        }
    }

    @Test("A first line of ':' and digits is HEX, right or wrong")
    func hex() {
        for text in [
            ":0", ":00000001FF", "\n\n\r\n \t:00000001FF", ":1000000000400020D9CC01",
            ":ABCDEF\n\u{0}",
            ":00000001FG\n", ":" + String(repeating: "0", count: 5_000),
        ] {
            #expect(format(Array(text.utf8)) == .intelHex, "\(text.prefix(40))")
        }
    }

    @Test("A binary that begins with ':' is raw, and sent as it is")
    func colon() throws {
        let binaries: [[UInt8]] = [
            [0x3A], [0x3A, 0x0A], [0x3A, 0x00], [0x3A, 0x30, 0x00], [0x3A, 0x30, 0x30, 0x80, 0x0A],
            Array(":hello, world\n".utf8), Array("::::".utf8), Array(": \n:00000001FF".utf8),
            [0x3A] + Array("00000001FF".utf8) + [0x1B, 0x0A], Array(";\n:00000001FF".utf8),
        ]
        for bytes in binaries {
            let image = try FirmwareFile(bytes: bytes, name: "firmware")
            #expect(image.format == .raw)
            #expect(image.regions == [] && image.regionNumber == nil && image.loadAddress == nil)
            #expect(image.mcuboot == nil && image.version == nil)
            #expect(try image.allBytes() == bytes)
        }
    }

    @Test("The magic number of MCUboot counts at the very beginning only")
    func mcuboot() {
        #expect(format(MCUbootWriter().bytes) == .mcuboot)
        #expect(format([0] + MCUbootWriter().bytes) == .raw)
        #expect(format([0x3D, 0xB8, 0xF3]) == .raw)
        #expect(format([0x96, 0xF3, 0xB8, 0x3D]) == .raw)
    }

    @Test("The ending of the name does not count")
    func names() throws {
        let hex = HexWriter.file(HexWriter.data(at: 0, [1]))
        #expect(try FirmwareFile(bytes: hex, name: "firmware.bin").format == .intelHex)
        #expect(try FirmwareFile(bytes: [1, 2], name: "firmware.hex").format == .raw)
    }

    @Test("Only HEX has regions to choose from")
    func regionOfRaw() {
        for (bytes, region) in [([1, 2], 1), ([1, 2], 2), (MCUbootWriter().bytes, 1)] {
            let error = imageError { () throws(FirmwareError) in
                try FirmwareFile(bytes: bytes, name: "app.bin", region: region)
            }
            #expect(error?.code == .noSuchRegion)
            #expect(
                error?.description
                    == "app.bin has no region \(region), because only Intel HEX files have "
                    + "regions; leave out the region."
            )
        }
    }
}
