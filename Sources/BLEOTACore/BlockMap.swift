/// Which blocks of an object are held, a bit for each, in memory of the caller.
///
/// The caller keeps the memory alive and untouched as long as a receiver works with the map.
public struct BlockMap {
    /// How many blocks the object has.
    public let blockCount: Int
    private let words: UnsafeMutableBufferPointer<UInt>

    /// The memory a map of `blockCount` blocks needs.
    public static func wordCount(forBlockCount blockCount: Int) -> Int {
        (blockCount + UInt.bitWidth - 1) / UInt.bitWidth
    }

    /// A map with no block held, in `words`, of which there must be enough.
    public init(blockCount: Int, in words: UnsafeMutableBufferPointer<UInt>) {
        precondition(words.count >= BlockMap.wordCount(forBlockCount: blockCount))
        self.blockCount = blockCount
        self.words = words
        words.update(repeating: 0)
    }

    /// Whether block `index` is held.
    public subscript(index: Int) -> Bool {
        get {
            precondition(index < blockCount)
            return words[Self.word(index)] & Self.bit(index) != 0
        }
        nonmutating set {
            precondition(index < blockCount)
            if newValue {
                words[Self.word(index)] |= Self.bit(index)
            } else {
                words[Self.word(index)] &= ~Self.bit(index)
            }
        }
    }

    private static func word(_ index: Int) -> Int { index / UInt.bitWidth }

    private static func bit(_ index: Int) -> UInt { 1 &<< UInt(bitPattern: index) }

    /// The first block from `index` on that is not held; ``blockCount`` if there is none.
    public func firstMissing(from index: Int) -> Int { first(from: index, flipping: .max) }

    /// The first block from `index` on that is held; ``blockCount`` if there is none.
    public func firstHeld(from index: Int) -> Int { first(from: index, flipping: 0) }

    private func first(from index: Int, flipping mask: UInt) -> Int {
        var index = index
        while index < blockCount {
            let found = (words[Self.word(index)] ^ mask) &>> UInt(bitPattern: index)
            if found != 0 { return min(index + found.trailingZeroBitCount, blockCount) }
            index = (index | (UInt.bitWidth - 1)) + 1
        }
        return blockCount
    }
}

/// The memory belongs to whoever holds the map's plan at the time; it is never shared.
extension BlockMap: @unchecked Sendable {}
