import BLEOTAWire
import Testing

@testable import BLEOTAManifest

@Suite("The attributes of a manifest")
struct ManifestAttributeTests {
    @Test("come in order, with their values")
    func iteration() throws {
        let manifest = ManifestBytes(attributes: [
            (0x01, Array("a".utf8)), (0x10, [1, 2, 3]), (0x7F, []),
        ])
        let bytes = manifest.bytes
        var cursor = try ManifestFields(parsing: bytes.span.bytes).attributeCursor
        var seen: [UInt8: [UInt8]] = [:]
        while let attribute = cursor.next(in: bytes.span.bytes) {
            seen[attribute.type.rawValue] = Array(bytes[attribute.value])
        }
        #expect(seen == [0x01: [0x61], 0x10: [1, 2, 3], 0x7F: []])
        #expect(cursor.next(in: bytes.span.bytes) == nil)
    }

    @Test("that a device goes by are read as what they mean")
    func meanings() throws {
        let recipients: [[UInt8]] = [1, 2].map { id in
            [id] + [UInt8](repeating: 0, count: 7) + [UInt8](repeating: 0x20 + id, count: 48)
        }
        let manifest = ManifestBytes(attributes: [
            (0x04, [1, 2, 3, 4, 5, 6, 7, 8]),
            (0x81, [2, 0, 5, 0] + Array("maker/board".utf8)),
            (0x83, [9, 1, 0, 0]),
            (0x84, [0, 0, 0, 0, 1, 0, 0, 0]),
            (0x85, [0x82, 0xE8, 3, 0, 0] + [UInt8](repeating: 0x11, count: 32)),
            (0x86, [UInt8](repeating: 0x22, count: 32)),
            (0x87, [UInt8](repeating: 0x33, count: 32) + recipients.joined()),
        ])
        let bytes = manifest.bytes
        let span = bytes.span.bytes
        let fields = try ManifestFields(parsing: span)
        let hardware = fields.hardware(in: span)
        #expect(hardware?.revisions == 2...5)
        #expect(hardware.map { Array(bytes[$0.name]) } == Array("maker/board".utf8))
        let (counter, expiry) = (fields.counter(in: span), fields.expiry(in: span))
        #expect(counter == 0x109 && expiry == 1 << 32)
        let (encoding, base) = (fields.encoding(in: span), fields.base(in: span))
        #expect(encoding?.imageByteCount == 1_000)
        #expect(base.map { Array(bytes[$0]) } == [UInt8](repeating: 0x22, count: 32))
        let sketch = fields.sketch(in: span)
        #expect(sketch?.count == 2 && sketch?.blockIndex(ofHash: 1) == 2)
        #expect(sketch.map { Array(bytes[$0.hashes]) } == [1, 2, 3, 4, 5, 6, 7, 8])
        let found = fields.seal(in: span)
        let seal = try #require(found)
        #expect(Array(bytes[seal.ephemeralKey]) == [UInt8](repeating: 0x33, count: 32))
        #expect(seal.recipientCount == 2)
        for index in 0..<2 {
            let keyID = seal.keyID(ofRecipient: index, in: span)
            #expect(keyID.rawValue == UInt64(index + 1))
            let key = Array(bytes[seal.contentKey(ofRecipient: index)])
            #expect(key == [UInt8](repeating: UInt8(0x21 + index), count: 48))
        }
    }

    //= MAN-2
    @Test("are refused out of order, twice, or not filling their space")
    func order() {
        let name: (UInt8, [UInt8]) = (0x01, [0x61])
        let version: (UInt8, [UInt8]) = (0x02, [0x31])
        expect(nil, ManifestBytes(attributes: [name, version]))
        expect(.attributeOutOfOrder(byteOffset: 51), ManifestBytes(attributes: [version, name]))
        expect(.attributeOutOfOrder(byteOffset: 51), ManifestBytes(attributes: [name, name]))
        // A value that reaches past the end, a head without its length, and a byte too many.
        expect(.attributeCutShort(byteOffset: 48), ManifestBytes(rawAttributes: [0x01, 2, 0x61]))
        expect(.attributeCutShort(byteOffset: 48), ManifestBytes(rawAttributes: [0x01]))
        expect(
            .attributeCutShort(byteOffset: 51),
            ManifestBytes(rawAttributes: [0x01, 1, 0x61, 0x02])
        )
    }

    //= MAN-2
    @Test("are ordered with bit 7 as part of the type")
    func orderOfBit7() {
        // 0x40 after 0x02 ascends; 0xC0 comes last and is refused for what it is, not its place.
        let type = ManifestAttributeType(rawValue: 0xC0)
        expect(
            .unknownAttribute(type, byteOffset: 53),
            ManifestBytes(attributes: [(0x02, [0x31]), (0x40, []), (0xC0, [])])
        )
    }

    //= MAN-3
    @Test("of every unknown type are skipped without bit 7 and refused with it")
    func unknownTypes() {
        for rawValue in UInt8.min...UInt8.max {
            let type = ManifestAttributeType(rawValue: rawValue)
            if (1...4).contains(rawValue) || (0x81...0x87).contains(rawValue) { continue }
            let refusal: ManifestError? =
                rawValue < 0x80 ? nil : .unknownAttribute(type, byteOffset: 48)
            expect(refusal, ManifestBytes(attributes: [(rawValue, [1, 2, 3])]))
        }
    }

    //= MAN-5
    @Test("that are names say which file and no more")
    func names() {
        for name in ["a/b", "/", "a\u{0}b", ".", ".."] {
            expect(
                .nameIsPath(byteOffset: 50),
                ManifestBytes(attributes: [(0x01, Array(name.utf8))])
            )
        }
        for name in ["...", ".a", "a.", "a b", "-"] {
            expect(nil, ManifestBytes(attributes: [(0x01, Array(name.utf8))]))
        }
        // What is no name may hold anything.
        expect(nil, ManifestBytes(attributes: [(0x02, Array("../1".utf8))]))
    }

    //= MAN-5
    @Test("have the lengths of the registry")
    func lengths() {
        let limits: [(ManifestAttributeType, [Int])] = [
            (.name, Array(1...255)), (.version, Array(1...64)), (.loadAddress, [8]),
            (.sketch, Array(stride(from: 4, through: 252, by: 4))),
        ]
        for (type, allowed) in limits {
            for byteCount in 0...255 {
                let value = [UInt8](repeating: 0x61, count: byteCount)
                let refusal: ManifestError? =
                    allowed.contains(byteCount)
                    ? nil : .attributeLengthOutOfRange(type, byteOffset: 48)
                expect(refusal, ManifestBytes(attributes: [(type.rawValue, value)]))
            }
        }
    }

    //= MAN-4
    @Test("that are texts are refused when not UTF-8, those that are not texts are left alone")
    func texts() {
        expect(nil, ManifestBytes(attributes: [(0x01, Array("größe-大-🚀".utf8))]))
        expect(
            .textNotUTF8(.name, byteOffset: 51),
            ManifestBytes(attributes: [(0x01, [0x61, 0xFF])])
        )
        expect(
            .textNotUTF8(.version, byteOffset: 50),
            ManifestBytes(attributes: [(0x02, [0xC0, 0x80])])
        )
        // A sequence is not completed by what follows the value.
        expect(
            .textNotUTF8(.name, byteOffset: 50),
            ManifestBytes(attributes: [(0x01, [0xC3]), (0x80 - 1, [])])
        )
        expect(nil, ManifestBytes(attributes: [(0x03, [UInt8](repeating: 0xFF, count: 8))]))
        expect(nil, ManifestBytes(attributes: [(0x40, [0xFF])]))
    }

    @Test("are held to UTF-8 as the standard library knows it, for all lead bytes and borders")
    func standardLibraryAgrees() {
        let borders: [UInt8] = [0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        for lead in [0x00, 0x41, 0x7F] + Array(UInt8(0x80)...0xFF) {
            for second in UInt8.min...UInt8.max { expectAgreement([lead, second]) }
            for second in borders where lead >= 0xC0 {
                for third in borders {
                    expectAgreement([lead, second, third])
                    for fourth in borders { expectAgreement([lead, second, third, fourth]) }
                }
            }
        }
    }

    private func expectAgreement(_ bytes: [UInt8]) {
        let end = TextScan(of: bytes.span.bytes, from: 0, to: bytes.count).end
        if (end == bytes.count) != (String(validating: bytes, as: UTF8.self) != nil) {
            Issue.record("disagreement about \(bytes)")
        }
        if String(validating: bytes.prefix(end), as: UTF8.self) == nil {
            Issue.record("the fault in \(bytes) is before \(end)")
        }
    }

    private func expect(
        _ error: ManifestError?,
        _ manifest: ManifestBytes,
        at location: SourceLocation = #_sourceLocation
    ) {
        let bytes = manifest.bytes
        do throws(ManifestError) {
            _ = try ManifestFields(parsing: bytes.span.bytes)
            #expect(error == nil, sourceLocation: location)
        } catch let thrown {
            #expect(thrown == error, sourceLocation: location)
        }
    }
}
