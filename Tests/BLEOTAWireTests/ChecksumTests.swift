import BLEOTAWire
import Testing

@testable import BLEOTAWire

@Suite("Checksum")
struct ChecksumTests {
    @Test("The check value of the ASCII digits is 0x906E")
    func checkValue() {
        let digits = Array("123456789".utf8)
        #expect(value(of: digits) == 0x906E)
        #expect(ReferenceChecksum.value(of: digits) == 0x906E)
    }

    @Test("The checksum of nothing is zero")
    func nothing() {
        #expect(Checksum().value == 0)
        #expect(value(of: []) == 0)
    }

    @Test("Tables and bits agree for every length from 0 to 600 and every kind of content")
    func everyLength() {
        var random = SeededGenerator()
        for byteCount in 0...600 {
            let contents = [
                [UInt8](repeating: 0x00, count: byteCount),
                [UInt8](repeating: 0xFF, count: byteCount),
                (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) },
                random.bytes(byteCount),
                random.bytes(byteCount),
            ]
            for content in contents {
                #expect(value(of: content) == ReferenceChecksum.value(of: content))
            }
        }
    }

    @Test("Every byte at every place of a 40-byte content agrees with the reference")
    func everyByteEverywhere() {
        for place in 0..<40 {
            for byte in UInt8.min...UInt8.max {
                var content = [UInt8](repeating: 0xA5, count: 40)
                content[place] = byte
                guard value(of: content) == ReferenceChecksum.value(of: content) else {
                    Issue.record("byte \(byte) at \(place)")
                    return
                }
            }
        }
    }

    @Test("It makes no difference in which pieces the bytes come")
    func pieces() {
        var random = SeededGenerator()
        let content = random.bytes(100)
        let whole = ReferenceChecksum.value(of: content)
        for first in 0...content.count {
            for second in stride(from: first, through: content.count, by: 7) {
                var checksum = Checksum()
                let bytes = content.span.bytes
                checksum.update(bytes.extracting(0..<first))
                checksum.update(bytes.extracting(first..<second))
                checksum.update(bytes.extracting(second..<content.count))
                #expect(checksum.value == whole)
            }
        }
    }

    @Test("Numbers go in low byte first, as if they were bytes")
    func numbers() {
        var checksum = Checksum()
        checksum.update(UInt8(0x01))
        checksum.update(UInt16(0x0302))
        checksum.update(UInt32(0x0706_0504))
        #expect(checksum.value == ReferenceChecksum.value(of: 1...7))
    }

    @Test("Long steps, single bits and half bytes agree for 0 to 600 bytes at every alignment")
    func alignment() {
        var random = SeededGenerator()
        let content = random.bytes(616)
        let bytes = content.span.bytes
        // The steps are 16 bytes long, so that the beginning counts modulo 16.
        for start in 0..<16 {
            var single = Checksum()
            for byteCount in 0...600 {
                let range = start..<start + byteCount
                var checksum = Checksum()
                checksum.update(bytes.extracting(range))
                guard checksum == single,
                    checksum.value == ReferenceChecksum.value(of: content[range])
                else {
                    Issue.record("\(byteCount) bytes from offset \(start)")
                    return
                }
                single.advance(over: content[start + byteCount])
            }
        }
    }

    @Test("Numbers at any remainder agree with the reference")
    func numbersInTheMiddle() {
        var random = SeededGenerator()
        for _ in 0..<1_000 {
            let content = random.bytes(12)
            let bytes = content.span.bytes
            var checksum = Checksum()
            checksum.update(bytes.extracting(0..<5))
            checksum.update(content[5])
            checksum.update(UInt16(content[6]) | UInt16(content[7]) << 8)
            checksum.update(
                content[8...].reversed().reduce(UInt32(0)) { number, byte in
                    number << 8 | UInt32(byte)
                }
            )
            #expect(checksum.value == ReferenceChecksum.value(of: content))
        }
    }

    private func value(of content: [UInt8]) -> UInt16 {
        var checksum = Checksum()
        checksum.update(content.span.bytes)
        return checksum.value
    }
}
