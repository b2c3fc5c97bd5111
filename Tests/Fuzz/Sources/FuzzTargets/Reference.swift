import BLEOTACore
import BLEOTAWire

/// The arithmetic of the specification once more, slow and plain.
enum Reference {
    /// The number that is congruent to `low` modulo 2^bitCount and nearest to `last`, of two the
    /// smaller; `nil` if it does not fit 32 bits.
    static func nearest(_ low: UInt16, bitCount: Int, to last: UInt32) -> UInt32? {
        let modulus = Int64(1) << Int64(bitCount)
        var below = Int64(last) / modulus * modulus + Int64(low)
        if below > Int64(last) { below -= modulus }
        let above = below + modulus
        return UInt32(exactly: Int64(last) - below <= above - Int64(last) ? below : above)
    }

    /// The smallest number not below `lowest` that is congruent to `low` modulo 65,536; `nil` if it
    /// does not fit 32 bits.
    static func atLeast(_ lowest: UInt32, _ low: UInt16) -> UInt32? {
        var candidate = Int64(lowest) / 65_536 * 65_536 + Int64(low)
        if candidate < Int64(lowest) { candidate += 65_536 }
        return UInt32(exactly: candidate)
    }

    static func chunkCount(_ objectByteCount: UInt32, _ chunkSize: ChunkSize) -> UInt32 {
        let (quotient, rest) = Int(objectByteCount).quotientAndRemainder(
            dividingBy: chunkSize.byteCount
        )
        return UInt32(quotient + (rest > 0 ? 1 : 0))
    }

    /// Whether an account breaks none of the rules of [ACK-11].
    static func canBeTrue(
        _ account: Acknowledgement,
        cumulative: UInt32,
        objectByteCount: UInt32,
        chunkSize: ChunkSize
    ) -> Bool {
        let chunkCount = chunkCount(objectByteCount, chunkSize)
        if cumulative > chunkCount || account.durableByteCount > objectByteCount { return false }
        let shownEnd = account.bitmap.endIndex
        return shownEnd == 0 || Int(cumulative) + 1 + shownEnd <= Int(chunkCount)
    }

    /// The first chunk a credit does not reach.
    static func edge(_ credit: Credit, cumulative: UInt32) -> UInt64 {
        switch credit {
        case .chunks(let count): UInt64(cumulative) + UInt64(count)
        case .unlimited: .max
        }
    }
}
