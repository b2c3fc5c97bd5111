import BLEOTA
import Testing

@Suite("Damaged Intel HEX")
struct IntelHexDamageTests {
    private func image(_ text: [UInt8]) throws(FirmwareError) -> FirmwareFile {
        try FirmwareFile(bytes: text, name: "firmware.hex")
    }

    private static let data = HexWriter.data(at: 0, [1, 2])

    /// Lines, and the sentence about them.
    private static let mistakes: [(lines: [String], line: Int, sentence: String)] = [
        (
            [data, "", ":020004000A0BE6", HexWriter.end], 3,
            "the checksum is E6, but the other bytes of the record require E5; build or download "
                + "the file again, because it is damaged."
        ),
        (
            [data, ":03000400AABB", HexWriter.end], 2,
            "the record announces 3 data bytes, but has 1; build or download the "
                + "file again, because it is damaged."
        ),
        (
            [data, ":0000", HexWriter.end], 2,
            "the record has 2 bytes, but the shortest record has 5; build or download the "
                + "file again, because it is damaged."
        ),
        (
            [data, ":000", HexWriter.end], 2,
            "the record has 3 digits, but needs an even number; build or download the "
                + "file again, because it is damaged."
        ),
        (
            [data, ":00G0", HexWriter.end], 2,
            "'G' in column 4 is not a hexadecimal digit; build or download the file again, because "
                + "it is damaged."
        ),
        (
            [data, "  :0\u{1B}", HexWriter.end], 2,
            "the byte 1B in column 5 is not a hexadecimal digit; build or download the "
                + "file again, because it is damaged."
        ),
        (
            [data, "00000001FF"], 2,
            "the line begins with '0' instead of ':'; build or download the file again, because it "
                + "is damaged."
        ),
        (
            [data, HexWriter.record(type: 6, address: 0, [])], 2,
            "the record type is 06, but Intel HEX has only types 00 to 05; build the file again "
                + "with a tool that writes plain Intel HEX."
        ),
        (
            [HexWriter.record(type: 0x0A, address: 0, [0x99, 0x00])], 1,
            "the record type is 0A, but Intel HEX has only types 00 to 05; extract the part for "
                + "one board from this universal HEX file."
        ),
        (
            [HexWriter.record(type: 4, address: 0, [1])], 1,
            "the extended linear address record has 1 data byte, but must have 2; build the file "
                + "again with a tool that writes plain Intel HEX."
        ),
        (
            [HexWriter.record(type: 2, address: 0x12, [1, 0])], 1,
            "the extended segment address record has the address 0012, but must have 0000; build "
                + "the file again with a tool that writes plain Intel HEX."
        ),
        (
            [HexWriter.data(at: 0xFFFF, [1, 2]), HexWriter.end], 1,
            "the record runs past the address FFFF, and no earlier record of type 02 or 04 sets "
                + "the upper bits; build the file again with 32-bit addresses (record type 04)."
        ),
        (
            [HexWriter.linearBase(0xFFFF), HexWriter.data(at: 0xFFFF, [1, 2]), HexWriter.end], 2,
            "the record from address 0xFFFFFFFF runs past the last address, 0xFFFFFFFF; build the "
                + "file again with 32-bit addresses (record type 04)."
        ),
        (
            [data, HexWriter.data(at: 8, [1]), HexWriter.data(at: 1, [2]), HexWriter.end], 3,
            "the byte at 0x00000001 was already set by line 1; build the file again, because two "
                + "programs in it use the same addresses."
        ),
        (
            [data, HexWriter.end, "", data, HexWriter.end], 4,
            "text follows the end-of-file record in line 2; build the file again, or send only one "
                + "of the two files that were joined."
        ),
        (
            [data, HexWriter.linearBase(1), "", ""], 2,
            "the file ends without an end-of-file record (:00000001FF); build or download the "
                + "file again, because it was cut short."
        ),
        (
            [HexWriter.linearBase(1), HexWriter.end, ""], 2,
            "the file ends without any data record; build the file again, and check that its "
                + "program is not empty."
        ),
    ]

    @Test("Every mistake is told with its line, what was found, and what to do")
    func sentences() {
        for mistake in Self.mistakes {
            let text = HexWriter.text(mistake.lines)
            let error = imageError { () throws(FirmwareError) in try image(text) }
            #expect(error?.code == .malformedHex)
            #expect(error?.line == mistake.line)
            #expect(error?.fileName == "firmware.hex")
            #expect(
                error?.description == "firmware.hex line \(mistake.line): \(mistake.sentence)"
            )
        }
    }

    @Test("Overlaps are found wherever the records stand, and both lines are named")
    func overlaps() {
        for (first, second) in [(0, 2), (2, 0), (1, 1), (0, 0), (0, 3), (3, 0)] {
            let text = HexWriter.file(
                HexWriter.linearBase(0x0100),
                HexWriter.data(at: UInt16(first), [1, 2, 3, 4]),
                HexWriter.data(at: 0x4000, [1]),
                HexWriter.data(at: UInt16(second), [1, 2, 3, 4])
            )
            let error = imageError { () throws(FirmwareError) in try image(text) }
            #expect(error?.line == 4)
            let address = max(first, second)
            #expect(
                error?.description.contains("0x0100000\(address) was already set by line 2") == true
            )
        }
    }

    private static let small = HexWriter.text([
        HexWriter.linearBase(0x0800), HexWriter.data(at: 0x0010, [0xDE, 0xAD, 0x00]),
        HexWriter.data(at: 0x0013, [0xBE, 0xEF]),
        HexWriter.record(type: 5, address: 0, [8, 0, 0, 0x11]),
        HexWriter.end,
    ])

    @Test("Every wrong digit is refused, in its line")
    func wrongDigits() {
        let digits = Array("0123456789ABCDEF".utf8)
        for (offset, byte) in Self.small.enumerated() where digits.contains(byte) {
            let line = 1 + Self.small.prefix(offset).count { $0 == UInt8(ascii: "\n") }
            for digit in digits where digit != byte {
                var damaged = Self.small
                damaged[offset] = digit
                let error = imageError { () throws(FirmwareError) in try image(damaged) }
                #expect(error?.code == .malformedHex)
                #expect(error?.line == line)
            }
        }
    }

    @Test("Every wrong byte is refused, unless it spells the same or unmakes the first line")
    func wrongBytes() throws {
        let whole = try image(Self.small)
        let firstLineByteCount = Self.small.prefix { $0 != UInt8(ascii: "\n") }.count
        for offset in Self.small.indices {
            for byte in UInt8.min...UInt8.max {
                var damaged = Self.small
                damaged[offset] = byte
                do {
                    let image = try image(damaged)
                    if image.format == .raw {
                        // Without its colon, or with a byte that is no text, the first line is not
                        // that of a HEX file.
                        let isText = byte == 0x09 || (0x20...0x7E).contains(byte)
                        #expect(offset == 0 || (offset <= firstLineByteCount && !isText))
                        #expect(try image.allBytes() == damaged)
                    } else {
                        #expect(try image.allBytes() == whole.allBytes())
                        #expect(image.regions == whole.regions)
                    }
                } catch {
                    #expect(error.code == .malformedHex)
                }
            }
        }
    }

    @Test("Every cut is refused, down to the colon alone")
    func cuts() throws {
        // The last byte is a line end, which may be missing.
        for byteCount in 2..<(Self.small.count - 1) {
            let cut = Array(Self.small.prefix(byteCount))
            let error = imageError { () throws(FirmwareError) in try image(cut) }
            #expect(error?.code == .malformedHex, "cut to \(byteCount) bytes")
        }
        #expect(try image(Self.small.dropLast()).regions == image(Self.small).regions)
        #expect(try image([UInt8(ascii: ":")]).format == .raw)
    }

    @Test("Random bytes behind a good first line never trap")
    func noise() {
        var random = ImageRandom()
        let alphabet = Array(":0123456789abcDEF\r\n G\u{0}".utf8)
        for _ in 0..<3_000 {
            var text = Self.small
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let offset = Int.random(in: 0...text.count, using: &random)
                if Bool.random(using: &random) {
                    text.insert(alphabet.randomElement(using: &random) ?? 0, at: offset)
                } else {
                    text.removeSubrange(offset..<min(text.count, offset + 3))
                }
            }
            if text.isEmpty { continue }
            let error = imageError { () throws(FirmwareError) in try image(text) }
            #expect(error == nil || error?.code == .malformedHex)
        }
    }

    @Test("Gaps that would fill more than 64 MiB are refused before they take memory")
    func bounded() {
        // 1 byte every 64 KiB: 1,024 steps and the last byte make 64 MiB + 1.
        let lines = (0...1_024).flatMap { step in
            [HexWriter.linearBase(UInt16(step)), HexWriter.data(at: 0, [1])]
        }
        let error = imageError { () throws(FirmwareError) in
            try image(HexWriter.text(lines + [HexWriter.end]))
        }
        #expect(error?.code == .tooLarge)
        #expect(
            error?.description
                == "firmware.hex would be 67108865 bytes long with its gaps filled, but the limit "
                + "is 67108864; convert it to a raw binary and send that."
        )
    }

    @Test("Text of more than 64 MiB is refused without being read")
    func longText() {
        let scratch = ImageScratch()
        let path = scratch.writeSparse(Self.small, byteCount: (64 << 20) + 1, to: "long.hex")
        let error = imageError { () throws(FirmwareError) in try FirmwareFile(contentsOf: path) }
        #expect(error?.code == .tooLarge)
        #expect(
            error?.description
                == "\(path) is an Intel HEX file of 67108865 bytes, but the limit is 67108864; "
                + "convert it to a raw binary and send that."
        )
    }
}
