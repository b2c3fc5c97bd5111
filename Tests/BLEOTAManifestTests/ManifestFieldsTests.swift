import BLEOTAWire
import Testing

@testable import BLEOTAManifest

@Suite("A manifest's fields")
struct ManifestFieldsTests {
    private let full = ManifestBytes(attributes: [
        (0x01, Array("blinky.bin".utf8)), (0x02, Array("1.2.3 ü".utf8)),
        (0x03, [0, 0, 0, 8, 0, 0, 0, 0]), (0x41, []),
    ])

    @Test("are where the layout says")
    func layout() throws {
        let bytes = full.bytes
        let fields = try ManifestFields(parsing: bytes.span.bytes)

        #expect(fields.imageByteCount == 700)
        #expect(fields.blockByteCount == 256)
        #expect(fields.blockCount == 3)
        #expect((0..<3).map(fields.byteCount(ofBlock:)) == [256, 256, 188])
        #expect(bytes[fields.sha256] == full.sha256[...])
        #expect(fields.attributes == 48..<48 + 12 + 10 + 10 + 2)
        #expect(fields.hash(ofBlock: 0).lowerBound == fields.attributes.upperBound)
        #expect(Array(bytes[fields.hash(ofBlock: 2)]) == [UInt8](repeating: 2, count: 16))
        #expect(fields.byteCount == bytes.count)
        #expect(fields.signatures.isEmpty)

        func value(_ type: UInt8) -> [UInt8]? {
            let type = ManifestAttributeType(rawValue: type)
            return fields.value(of: type, in: bytes.span.bytes).map { Array(bytes[$0]) }
        }
        #expect(value(0x01) == Array("blinky.bin".utf8))
        #expect(value(0x03) == [0, 0, 0, 8, 0, 0, 0, 0])
        #expect(value(0x41) == [])
        #expect(value(0x42) == nil)
    }

    @Test("come out for every block size, and for images that end on, before and after a block")
    func blockSizes() throws {
        for exponent in UInt8(8)...16 {
            let block = 1 << Int(exponent)
            for imageByteCount in [1, block - 1, block, block + 1, 2 * block, 3 * block - 1] {
                let manifest = ManifestBytes(
                    exponent: exponent,
                    imageByteCount: UInt32(imageByteCount)
                )
                let fields = try ManifestFields(parsing: manifest.bytes.span.bytes)
                let blocks = (0..<fields.blockCount).map(fields.byteCount(ofBlock:))
                #expect(blocks.reduce(0, +) == imageByteCount)
                #expect(blocks.dropLast().allSatisfy { $0 == block })
                #expect(fields.byteCount == 48 + 16 * blocks.count + 2)
            }
        }
    }

    @Test("hold the largest image, in blocks of 4 KiB and 64 KiB")
    func largestImage() throws {
        for exponent in [UInt8(12), 16] {
            let manifest = ManifestBytes(exponent: exponent, imageByteCount: .max)
            let fields = try ManifestFields(parsing: manifest.bytes.span.bytes)
            #expect(fields.blockCount == 1 << (32 - Int(exponent)))
            let last = fields.byteCount(ofBlock: fields.blockCount - 1)
            #expect(last == fields.blockByteCount - 1)
        }
    }

    //= MAN-1
    @Test("are refused when the manifest is cut short anywhere, or goes on")
    func lengths() {
        let bytes = full.bytes
        for byteCount in 0..<bytes.count {
            #expect(throws: ManifestError.self) {
                try parse(Array(bytes.prefix(byteCount)))
            }
        }
        #expect(
            throws: ManifestError.wrongByteCount(expected: bytes.count, actual: bytes.count + 1)
        ) {
            try parse(bytes + [0])
        }
        #expect(throws: ManifestError.wrongByteCount(expected: 98, actual: 82)) {
            try parse(ManifestBytes(blockCount: 2).bytes)
        }
    }

    @Test("show every flipped bit of header and attributes: refused, or another value")
    func flippedBits() throws {
        let bytes = full.bytes
        let fields = try ManifestFields(parsing: bytes.span.bytes)
        for bit in 0..<fields.attributes.upperBound * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let other = try? ManifestFields(parsing: flipped.span.bytes) else { continue }
            let isInData =
                fields.sha256.contains(bit / 8) || fields.attributes.contains(bit / 8)
            if isInData {
                #expect(contents(of: flipped, other) != contents(of: bytes, fields))
            } else {
                #expect(other != fields, "bit \(bit)")
            }
        }
    }

    @Test("are refused one by one when out of range")
    func ranges() {
        expect(.notAManifest, ManifestBytes(magic: [0x42, 0x4C, 0x4D, 0x32]))
        expect(.unknownFormatVersion(2), ManifestBytes(formatVersion: 2))
        expect(.unknownFormatVersion(0), ManifestBytes(formatVersion: 0))
        expect(.blockSizeOutOfRange(exponent: 7), ManifestBytes(exponent: 7))
        expect(.blockSizeOutOfRange(exponent: 17), ManifestBytes(exponent: 17))
        expect(.reservedNotZero(byteOffset: 6), ManifestBytes(reserved: (1, 0)))
        expect(.reservedNotZero(byteOffset: 6), ManifestBytes(reserved: (0x8000, 0)))
        expect(.reservedNotZero(byteOffset: 14), ManifestBytes(reserved: (0, 0x100)))
        expect(.emptyImage, ManifestBytes(imageByteCount: 0, blockCount: 1))
        let signed = ManifestBytes(signatureByteCount: 1).bytes
        expect(.signatureCutShort(byteOffset: 98), signed + [0xC1])
        expect(.wrongByteCount(expected: 99, actual: 98), signed)
        let tooMany = ManifestBytes(signatureByteCount: 4_097).bytes
        expect(
            .signaturesTooLong(byteCount: 4_097, byteOffset: 96),
            tooMany + Array(repeating: 0, count: 4_097)
        )
        expect(.tooShort(byteCount: 65), Array(ManifestBytes(imageByteCount: 1).bytes.dropLast()))
        expect(
            .tooLong(byteCount: ManifestLayout.byteCountMax + 1),
            [UInt8](repeating: 0, count: ManifestLayout.byteCountMax + 1)
        )
    }

    @Test("allow 4,096 bytes of attributes and not one more")
    func attributeLimit() throws {
        // 15 attributes of 2 + 255 bytes and one of 2 + 239.
        var attributes = (0..<15).map { (UInt8(0x40 + $0), [UInt8](repeating: 7, count: 255)) }
        attributes.append((0x60, [UInt8](repeating: 7, count: 239)))
        let fields = try ManifestFields(
            parsing: ManifestBytes(attributes: attributes).bytes.span.bytes
        )
        #expect(fields.attributeByteCount == 4_096)

        attributes[15].1.append(7)
        expect(.attributesTooLong(byteCount: 4_097), ManifestBytes(attributes: attributes))
    }

    private func contents(of bytes: [UInt8], _ fields: ManifestFields) -> [[UInt8]] {
        [Array(bytes[fields.sha256]), Array(bytes[fields.attributes])]
    }

    private func parse(_ bytes: [UInt8]) throws -> ManifestFields {
        try ManifestFields(parsing: bytes.span.bytes)
    }

    private func expect(
        _ error: ManifestError,
        _ manifest: ManifestBytes,
        at location: SourceLocation = #_sourceLocation
    ) {
        expect(error, manifest.bytes, at: location)
    }

    private func expect(
        _ error: ManifestError,
        _ bytes: [UInt8],
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: error, sourceLocation: location) { try parse(bytes) }
        #expect((0...bytes.count).contains(error.byteOffset), sourceLocation: location)
    }
}
