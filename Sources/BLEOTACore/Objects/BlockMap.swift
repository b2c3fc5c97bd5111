/// A bitmap of the held blocks of an object, in memory that the caller provides.
///
/// The caller must keep the memory valid and unmodified while a receiver uses the map.
public struct BlockMap {
    /// The number of blocks, below 2³¹ so that an index one word past it does not overflow.
    package let count: UInt32
    private let words: UnsafeMutablePointer<UInt>?

    /// Returns the number of words that a map of `blockCount` blocks needs.
    public static func wordCount(forBlockCount blockCount: Int) -> Int {
        Int(bitPattern: (UInt(blockCount) + UInt(UInt.bitWidth - 1)) / UInt(UInt.bitWidth))
    }

    /// Creates a map without blocks.
    public init() {
        count = 0
        words = nil
    }

    /// Creates a map with no block held.
    ///
    /// - Parameters:
    ///   - blockCount: the number of blocks, less than 2³¹.
    ///   - words: the memory of the map, at least ``wordCount(forBlockCount:)`` words.
    public init(blockCount: Int, in words: UnsafeMutableBufferPointer<UInt>) {
        count = UInt32(Int32(blockCount))
        precondition(words.count >= BlockMap.wordCount(forBlockCount: blockCount))
        self.words = words.baseAddress
        words.update(repeating: 0)
    }

    /// The number of blocks in the object.
    public var blockCount: Int { Int(truncatingIfNeeded: count) }

    /// Whether block `index` is held.
    public subscript(index: Int) -> Bool {
        get { self[UInt32(index)] }
        nonmutating set { self[UInt32(index)] = newValue }
    }

    package subscript(index: UInt32) -> Bool {
        get {
            precondition(index < count)
            return self[wordOf: index] & Self.bit(index) != 0
        }
        nonmutating set {
            precondition(index < count)
            if newValue {
                self[wordOf: index] |= Self.bit(index)
            } else {
                self[wordOf: index] &= ~Self.bit(index)
            }
        }
    }

    private subscript(wordOf index: UInt32) -> UInt {
        // SAFETY: the caller has checked that the index is below the count, and the initializer
        // received enough words for that many blocks.
        get {
            words.unsafelyUnwrapped[Int(truncatingIfNeeded: index / UInt32(UInt.bitWidth))]
        }
        nonmutating set {
            words.unsafelyUnwrapped[Int(truncatingIfNeeded: index / UInt32(UInt.bitWidth))] =
                newValue
        }
    }

    private static func bit(_ index: UInt32) -> UInt { 1 &<< UInt(index) }

    func firstMissing(from index: UInt32) -> UInt32 { first(from: index, isHeld: false) }

    /// Returns the first block at or after `index` that is held, or that is missing if `isHeld`
    /// is false. Returns ``blockCount`` if there is none.
    @inline(never)
    func first(from index: UInt32, isHeld: Bool) -> UInt32 {
        let mask: UInt = isHeld ? 0 : .max
        var index = index
        while index < count {
            let found = (self[wordOf: index] ^ mask) &>> UInt(index)
            if found != 0 {
                return min(index &+ UInt32(truncatingIfNeeded: found.trailingZeroBitCount), count)
            }
            index = (index | UInt32(UInt.bitWidth - 1)) &+ 1
        }
        return count
    }
}

/// The memory belongs to the current owner of the map's plan and is never shared.
extension BlockMap: @unchecked Sendable {}
