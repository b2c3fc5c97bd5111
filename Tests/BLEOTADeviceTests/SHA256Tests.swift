import BLEOTADevice
import BLEOTATestSupport
import Crypto
import Testing

@Suite("SHA-256 of a device")
struct SHA256Tests {
    @Test("All lengths from 0 to 300, whole and in pieces, give what swift-crypto gives")
    func lengths() {
        for seed in TestSeed.rounds(3) {
            var random = TestSeed(seed)
            for byteCount in 0...300 {
                let bytes = random.bytes(byteCount)
                let expected = Array(Crypto.SHA256.hash(data: bytes))
                #expect(Self.hash(bytes) == expected, "\(byteCount) bytes")
                let pieces = Self.hash(bytes, &random)
                #expect(pieces == expected, "\(byteCount) bytes in pieces")
            }
        }
    }

    @Test("A few hundred KiB in pieces of any length")
    func long() {
        for seed in TestSeed.rounds(1) {
            var random = TestSeed(seed)
            let bytes = random.bytes(100_000 + random.below(100_000))
            #expect(Self.hash(bytes, &random) == Array(Crypto.SHA256.hash(data: bytes)))
        }
    }

    @Test(
        "The values of FIPS 180-4",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                    + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 1,
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
            (
                "a", 1_000_000,
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ]
    )
    func known(text: String, count: Int, expected: String) {
        let bytes = [UInt8](String(repeating: text, count: count).utf8)
        let digits = Array("0123456789abcdef")
        let hex = String(
            Self.hash(bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        )
        #expect(hex == expected)
    }

    @Test("A tag is the first 8 bytes, and a digest begins with each of its beginnings alone")
    func digest() {
        var hash = BLEOTADevice.SHA256()
        hash.update(UnsafeRawBufferPointer(start: nil, count: 0))
        let digest = hash.finish()
        #expect(digest.tag == 0x141C_FC98_42C4_B0E3)
        let bytes = Self.hash([])
        for byteCount in 0...32 {
            var start = Array(bytes[..<byteCount])
            #expect(start.withUnsafeBytes { digest.begins(with: $0) })
            for index in start.indices {
                start[index] ^= 1
                #expect(!start.withUnsafeBytes { digest.begins(with: $0) })
                start[index] ^= 1
            }
        }
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = BLEOTADevice.SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return digestBytes(hash.finish())
    }

    /// In pieces of any length, some of none, and the rest.
    private static func hash(_ bytes: [UInt8], _ random: inout TestSeed) -> [UInt8] {
        var hash = BLEOTADevice.SHA256()
        return bytes.withUnsafeBytes { bytes in
            var start = 0
            while random.chance(80) {
                let byteCount = random.below(bytes.count - start + 1)
                hash.update(UnsafeRawBufferPointer(rebasing: bytes[start..<start + byteCount]))
                start += byteCount
            }
            hash.update(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            return digestBytes(hash.finish())
        }
    }

    private static func digestBytes(_ digest: BLEOTADevice.Digest) -> [UInt8] {
        var words = digest.words
        return withUnsafeBytes(of: &words) { Array($0) }
    }
}
