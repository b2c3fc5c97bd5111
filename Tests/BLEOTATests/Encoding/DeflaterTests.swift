import BLEOTATestSupport
import Testing

@testable import BLEOTA

/// Whether a long image is compressed, which a sample of it decides.
@Suite("Deflater", .timeLimit(.minutes(1)))
struct DeflaterTests {
    private static let byteCount = 1 << 20

    private static func noise() -> [UInt8] {
        var random = TestSeed(20)
        return random.bytes(byteCount)
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8]? {
        Deflater.deflate(bytes, byteCountMax: bytes.count * 95 / 100)
    }

    @Test("Noise is not compressed")
    func noise() { #expect(Self.deflated(Self.noise()) == nil) }

    @Test("An empty part of just over 5 % is found wherever it is")
    func emptyPart() {
        let partByteCount = Self.byteCount / 18
        for start in stride(from: 0, to: Self.byteCount - partByteCount, by: 50_000) {
            var bytes = Self.noise()
            for index in start..<start + partByteCount { bytes[index] = 0xFF }
            #expect(Self.deflated(bytes) != nil, "from byte \(start)")
        }
    }

    @Test("A sample of noise is believed, so that the rest is not read")
    func sample() {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        let noise = Self.noise()
        for start in stride(from: 0, to: Self.byteCount, by: Self.byteCount / 32) {
            bytes.replaceSubrange(start..<start + 8_192, with: noise[start..<start + 8_192])
        }
        #expect(Self.deflated(bytes) == nil)
        #expect(Self.deflated(Array(bytes.dropLast())) != nil, "too short for a sample")
    }
}
