import BLEOTA
import BLEOTATestSupport
import Testing

@testable import BLEOTASMP

/// SMP between the lines of a console.
@Suite struct ConsoleFramingTests {
    @Test("the checksum is CRC-16/XMODEM")
    func checksum() {
        #expect(CRC16.checksum(of: Array("123456789".utf8)) == 0x31C3)
        #expect(CRC16.checksum(of: []) == 0)
    }

    @Test("a short message is one line of known bytes")
    func knownBytes() {
        // The reading of the parameters, as PyPI's smp frames it.
        let message: [UInt8] = [0x08, 0, 0, 1, 0, 0, 1, 6, 0xA0]
        let lines = ConsoleFraming.encoded(message)
        #expect(lines.starts(with: [0x06, 0x09]))
        #expect(lines.last == 0x0A)
        #expect(Self.messages(in: lines) == [message])
    }

    @Test("messages of every length come back, in lines of at most 127 bytes")
    func lengths() {
        for count in [1, 8, 88, 89, 90, 91, 92, 93, 94, 95, 181, 182, 183, 384, 2_475] {
            let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let lines = ConsoleFraming.encoded(message)
            let longest = lines.split(separator: 0x0A).map { $0.count + 1 }.max()
            #expect(longest ?? 0 <= 127)
            #expect(Self.messages(in: lines) == [message])
        }
    }

    @Test("log lines between the frames are skipped, and lines may end with a carriage return")
    func logLines() {
        let message: [UInt8] = (0..<200).map { UInt8(truncatingIfNeeded: $0) }
        var line = Array("[00:00:01] <inf> booted\r\n".utf8)
        for byte in ConsoleFraming.encoded(message) {
            if byte == 0x0A { line += Array("\r\n*** log\n".utf8) } else { line.append(byte) }
        }
        #expect(Self.messages(in: line) == [message])
    }

    @Test("a damaged frame is skipped, and the next one is read")
    func damaged() {
        let (first, second): ([UInt8], [UInt8]) = ([1, 2, 3, 4, 5], [9, 8, 7])
        let encoded = ConsoleFraming.encoded(first)
        for index in encoded.indices {
            var damaged = encoded
            damaged[index] ^= 0x01
            let found = Self.messages(in: damaged + ConsoleFraming.encoded(second))
            #expect(found.last == second, "damaged at \(index)")
            #expect(!found.dropLast().contains { $0 != first })
        }
    }

    @Test("bytes without a meaning never trap, and hold no memory")
    func noise() {
        for seed in TestSeed.rounds(500) {
            var random = TestSeed(seed)
            var framing = ConsoleFraming()
            var raw = RawFraming()
            for byte in random.bytes(2_000) {
                _ = framing.take(byte)
                _ = raw.take(byte)
            }
        }
    }

    @Test("messages follow each other on a raw line")
    func raw() {
        let messages = [
            SMPRequest.parameters.packet(sequence: 1), SMPRequest.imageState.packet(sequence: 2),
        ]
        var framing = RawFraming()
        let found = messages.joined().compactMap { framing.take($0)?.bytes }
        #expect(found == messages)
    }

    private static func messages(in bytes: [UInt8]) -> [[UInt8]] {
        var framing = ConsoleFraming()
        return bytes.compactMap { framing.take($0)?.bytes }
    }
}
