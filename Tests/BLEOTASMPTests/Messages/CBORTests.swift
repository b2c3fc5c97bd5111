import BLEOTATestSupport
import Testing

@testable import BLEOTASMP

/// Values in CBOR, by the examples of RFC 8949, appendix A.
@Suite struct CBORTests {
    @Test(
        "integers, strings, lists and maps are read and written",
        arguments: [
            ("00", CBORValue.integer(0)), ("17", .integer(23)), ("1818", .integer(24)),
            ("1903e8", .integer(1_000)), ("1a000f4240", .integer(1_000_000)),
            ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
            ("3863", .integer(-100)), ("3903e7", .integer(-1_000)),
            ("f4", .boolean(false)), ("f5", .boolean(true)),
            ("40", .bytes([])), ("4401020304", .bytes([1, 2, 3, 4])),
            ("6449455446", .text("IETF")), ("62c3bc", .text("ü")),
            ("83010203", .array([.integer(1), .integer(2), .integer(3)])),
            (
                "a26161016162820203",
                .map([
                    CBORPair("a", .integer(1)), CBORPair("b", .array([.integer(2), .integer(3)])),
                ])
            ),
        ]
    )
    func bothWays(hex: String, value: CBORValue) throws {
        let bytes = try #require(Hex.bytes(of: hex))
        #expect(try CBORReader.read(bytes[...]) == value)
        var writer = CBORWriter()
        writer.write(value)
        #expect(writer.bytes == bytes)
    }

    @Test(
        "lists, maps and strings of unknown length are read as Zephyr sends them",
        arguments: [
            ("9f0102ff", CBORValue.array([.integer(1), .integer(2)])),
            ("bf636f666618c8ff", .map([CBORPair("off", .integer(200))])),
            ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])),
            ("7f657374726561646d696e67ff", .text("streaming")),
        ]
    )
    func unknownLength(hex: String, value: CBORValue) throws {
        let bytes = try #require(Hex.bytes(of: hex))
        #expect(try CBORReader.read(bytes[...]) == value)
    }

    @Test(
        "what SMP does not use is read as other, and tags are left out",
        arguments: [
            ("f6", CBORValue.other), ("f7", .other), ("f93e00", .other), ("fa47c35000", .other),
            ("fb3ff199999999999a", .other), ("1bffffffffffffffff", .other),
            ("3bffffffffffffffff", .other), ("c11a514b67b0", .integer(1_363_896_240)),
        ]
    )
    func others(hex: String, value: CBORValue) throws {
        let bytes = try #require(Hex.bytes(of: hex))
        #expect(try CBORReader.read(bytes[...]) == value)
    }

    @Test("every beginning of a message is malformed")
    func beginnings() throws {
        var writer = CBORWriter()
        writer.write(
            .map([
                CBORPair("images", .array([.map([CBORPair("hash", .bytes([1, 2, 3]))])])),
                CBORPair("off", .integer(70_000)),
            ])
        )
        for count in 0..<writer.bytes.count {
            #expect(throws: CBORReader.Malformed.self) {
                try CBORReader.read(writer.bytes[..<count])
            }
        }
    }

    @Test(
        "hostile lengths, depths and counts end with an error, and allocate nothing",
        arguments: [
            // A list and a map of 2⁶⁴ − 1 entries, a string of 2⁶³ bytes.
            "9bffffffffffffffff", "bbffffffffffffffff", "5b8000000000000000",
            "7b7fffffffffffffff", "ff", "1c", "a1ff", "bf01ff", "5f01ff",
        ]
    )
    func hostile(hex: String) throws {
        let bytes = try #require(Hex.bytes(of: hex))
        #expect(throws: CBORReader.Malformed.self) { try CBORReader.read(bytes[...]) }
    }

    @Test("a value that is too deep, or has too many items, is malformed")
    func limits() throws {
        let deep = [UInt8](repeating: 0x81, count: 8) + [0x00]
        #expect(throws: Never.self) { try CBORReader.read(deep[...]) }
        let tooDeep = [UInt8](repeating: 0x81, count: 9) + [0x00]
        #expect(throws: CBORReader.Malformed.self) { try CBORReader.read(tooDeep[...]) }
        let long = [0x9F] + [UInt8](repeating: 0x00, count: 4_096) + [0xFF]
        #expect(throws: CBORReader.Malformed.self) { try CBORReader.read(long[...]) }
    }

    @Test("bytes without a meaning never trap")
    func noise() throws {
        for seed in TestSeed.rounds(20_000) {
            var random = TestSeed(seed)
            let bytes = random.bytes(random.below(40))
            _ = try? CBORReader.read(bytes[...])
            _ = SMPReply(bytes)
        }
    }
}
