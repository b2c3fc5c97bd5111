import BLEOTA
import BLEOTAWire
import Crypto
import Testing

@Suite("A manifest")
struct ManifestTests {
    @Test("describes an image: round trip", arguments: [256, 4_096, 65_536])
    func roundTrip(blockByteCount: Int) throws {
        var random = SeededRandom(seed: 700)
        for byteCount in [1, 255, 256, 257, 65_535, 65_536, 65_537, 150_000] {
            let image = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
            let made = Manifest.make(
                imageByteCount: byteCount,
                blockByteCount: blockByteCount,
                name: "größe.bin",
                version: "1.0",
                loadAddress: 0x0800_0000_1234
            ) { Array(image[$0..<$0 + $1]) }
            let read = try Manifest(bytes: made.bytes)

            #expect(read == made)
            #expect(read.imageByteCount == byteCount)
            #expect(read.blockByteCount == blockByteCount)
            #expect(read.name == "größe.bin")
            #expect(read.version == "1.0")
            #expect(read.loadAddress == 0x0800_0000_1234)
            #expect(read.sha256 == Array(SHA256.hash(data: image)))
            let blocks = stride(from: 0, to: byteCount, by: blockByteCount).map {
                Array(image[$0..<min($0 + blockByteCount, byteCount)])
            }
            #expect(read.blockCount == blocks.count)
            for (index, var block) in blocks.enumerated() {
                #expect(read.blockHash(index) == Array(SHA256.hash(data: block).prefix(16)))
                #expect(matches(read, block, index))
                block[block.count - 1] ^= 1
                #expect(!matches(read, block, index))
            }
        }
    }

    @Test("has the bytes of section 4.2")
    func bytes() {
        let manifest = Manifest.make(imageByteCount: 3, name: "a", loadAddress: 0x0102) { _, _ in
            Array("abc".utf8)
        }
        let sha256: [UInt8] = [
            0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae,
            0x22,
            0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2,
            0x00,
            0x15, 0xad,
        ]
        var expected: [UInt8] = Array("BLM1".utf8) + [1, 12, 0, 0, 3, 0, 0, 0, 13, 0, 0, 0]
        expected += sha256
        expected += [1, 1, 0x61, 3, 8, 2, 1, 0, 0, 0, 0, 0, 0]
        expected += sha256.prefix(16) + [0, 0]
        #expect(manifest.bytes == expected)
    }

    @Test("has no name, version or address unless it is given one")
    func withoutAttributes() {
        let manifest = Manifest.make(imageByteCount: 1) { _, _ in [0] }
        #expect(manifest.bytes.count == 66)
        #expect(manifest.name == nil && manifest.version == nil && manifest.loadAddress == nil)
    }

    @Test("is read once, from the beginning to the end, in pieces of at most 64 KiB")
    func reads() {
        var expected = 0
        _ = Manifest.make(imageByteCount: 1_000_000) { offset, byteCount in
            #expect(offset == expected)
            #expect(byteCount <= 65_536)
            expected += byteCount
            return Array(repeating: 0, count: byteCount)
        }
        #expect(expected == 1_000_000)
    }

    @Test("is not made when the image can't be read")
    func failure() {
        struct Unreadable: Error, Equatable {}
        #expect(throws: Unreadable()) {
            try Manifest.make(imageByteCount: 100_000) { (offset, count) throws(Unreadable) in
                if offset > 0 { throw Unreadable() }
                return Array(repeating: 0, count: count)
            }
        }
    }

    @Test("is named by the first 8 bytes of its SHA-256, little-endian")
    func tag() {
        let manifest = Manifest.make(imageByteCount: 1) { _, _ in [0] }
        let digest = Array(SHA256.hash(data: manifest.bytes))
        #expect(
            manifest.tag.rawValue == digest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        )
        #expect(TransferTag(hashing: Array("abc".utf8)).hex == "ba7816bf8f01cfea")
    }

    private func matches(_ manifest: Manifest, _ block: [UInt8], _ index: Int) -> Bool {
        manifest.matches(block.span.bytes, blockIndex: index)
    }
}
