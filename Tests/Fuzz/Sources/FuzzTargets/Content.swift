import BLEOTACore
import BLEOTAWire
import Glibc

/// The bytes of every object: the same wherever they are asked for, and cheap to write and compare.
///
/// They repeat after 251 bytes, a prime, so that hardly a chunk or block looks like another.
enum Content {
    private static let period = 251
    private static let byteCountMax = 1 << 17
    private static let bytes: [UInt8] = {
        var state: UInt32 = 0x9E37_79B1
        var bytes: [UInt8] = []
        for index in 0..<period + byteCountMax {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.append(index < period ? UInt8(state >> 24) : bytes[index - period])
        }
        return bytes
    }()

    static func bytes(in range: Range<Int>, of object: ObjectID) -> [UInt8] {
        let start = self.start(range, object)
        return Array(bytes[start..<start + range.count])
    }

    static func isFound(_ span: RawSpan, in range: Range<Int>, of object: ObjectID) -> Bool {
        let start = self.start(range, object)
        return span.byteCount == range.count
            && span.withUnsafeBytes { span in
                bytes.withUnsafeBytes { bytes in
                    memcmp(span.baseAddress!, bytes.baseAddress! + start, range.count) == 0
                }
            }
    }

    private static func start(_ range: Range<Int>, _ object: ObjectID) -> Int {
        precondition(range.count <= byteCountMax)
        return (range.lowerBound + 97 * Int(object.rawValue)) % period
    }
}
