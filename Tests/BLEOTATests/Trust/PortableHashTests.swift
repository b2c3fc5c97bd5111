import Crypto
import Testing

@testable import BLEOTA

/// The hashes of builds without a cryptographic library, against that library.
@Suite("Portable hashes")
struct PortableHashTests {
    /// Around every length at which the padding takes one block more.
    private static let byteCounts = Array(0...300) + [4_095, 4_096, 100_000]

    @Test("Every length has the digest that swift-crypto computes", arguments: byteCounts)
    func lengths(byteCount: Int) {
        let input = Self.input(byteCount)
        #expect(
            PortableHash<PortableSHA256>.digest(of: input)
                == Array(Crypto.SHA256.hash(data: input))
        )
        #expect(
            PortableHash<PortableSHA384>.digest(of: input)
                == Array(Crypto.SHA384.hash(data: input))
        )
        #expect(
            PortableHash<PortableSHA512>.digest(of: input)
                == Array(Crypto.SHA512.hash(data: input))
        )
    }

    @Test("It does not matter how the input is cut", arguments: [1, 7, 63, 64, 65, 127, 128, 129])
    func pieces(pieceByteCount: Int) {
        let input = Self.input(1_000)
        var short = PortableHash<PortableSHA256>()
        var long = PortableHash<PortableSHA512>()
        for start in stride(from: 0, to: input.count, by: pieceByteCount) {
            input[start..<min(start + pieceByteCount, input.count)].withUnsafeBytes {
                short.update($0)
                long.update($0)
            }
            // A digest in between changes nothing.
            _ = (short.digest, long.digest)
        }
        #expect(short.digest == Array(Crypto.SHA256.hash(data: input)))
        #expect(long.digest == Array(Crypto.SHA512.hash(data: input)))
    }

    private static func input(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
    }
}
