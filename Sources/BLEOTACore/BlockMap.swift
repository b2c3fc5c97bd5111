/// Which blocks of an object are held, a bit for each, in memory of the caller.
///
/// The caller keeps the memory alive and untouched as long as a receiver works with the map.
public struct BlockMap {
    /// How many blocks the object has.
    public let blockCount: Int
    private let words: UnsafeMutableBufferPointer<UInt64>

    /// The memory a map of `blockCount` blocks needs.
    public static func wordCount(forBlockCount blockCount: Int) -> Int { (blockCount + 63) / 64 }

    /// A map with no block held, in `words`, of which there must be enough.
    public init(blockCount: Int, in words: UnsafeMutableBufferPointer<UInt64>) {
        precondition(words.count >= BlockMap.wordCount(forBlockCount: blockCount))
        self.blockCount = blockCount
        self.words = words
        words.update(repeating: 0)
    }

    /// Whether block `index` is held.
    public subscript(index: Int) -> Bool {
        get {
            precondition(index < blockCount)
            return words[index >> 6] & (1 &<< UInt64(index & 63)) != 0
        }
        nonmutating set {
            precondition(index < blockCount)
            let bit = UInt64(1) &<< UInt64(index & 63)
            if newValue { words[index >> 6] |= bit } else { words[index >> 6] &= ~bit }
        }
    }

    /// The first block from `index` on that is not held; ``blockCount`` if there is none.
    public func firstMissing(from index: Int) -> Int {
        var index = index
        while index < blockCount {
            let missing = ~words[index >> 6] &>> UInt64(index & 63)
            if missing != 0 { return min(index + missing.trailingZeroBitCount, blockCount) }
            index = (index | 63) + 1
        }
        return blockCount
    }

    /// The first block from `index` on that is held; ``blockCount`` if there is none.
    public func firstHeld(from index: Int) -> Int {
        var index = index
        while index < blockCount {
            let held = words[index >> 6] &>> UInt64(index & 63)
            if held != 0 { return min(index + held.trailingZeroBitCount, blockCount) }
            index = (index | 63) + 1
        }
        return blockCount
    }
}

/// The memory belongs to whoever holds the map's plan at the time; it is never shared.
extension BlockMap: @unchecked Sendable {}
