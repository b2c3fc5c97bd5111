/// Which blocks of an object are held, a bit for each, in memory of the caller.
///
/// The caller keeps the memory alive and untouched as long as a receiver works with the map.
public struct BlockMap {
    /// How many blocks the object has, less than 2³¹: an index past it by a word does not wrap.
    package let count: UInt32
    private let words: UnsafeMutablePointer<UInt>?

    /// The memory a map of `blockCount` blocks needs.
    public static func wordCount(forBlockCount blockCount: Int) -> Int {
        Int(bitPattern: (UInt(blockCount) + UInt(UInt.bitWidth - 1)) / UInt(UInt.bitWidth))
    }

    /// A map of nothing.
    public init() {
        count = 0
        words = nil
    }

    /// A map with no block held, in `words`, of which there must be enough.
    ///
    /// - Parameter blockCount: less than 2³¹.
    public init(blockCount: Int, in words: UnsafeMutableBufferPointer<UInt>) {
        count = UInt32(Int32(blockCount))
        precondition(words.count >= BlockMap.wordCount(forBlockCount: blockCount))
        self.words = words.baseAddress
        words.update(repeating: 0)
    }

    /// How many blocks the object has.
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
        // SAFETY: whoever asks has seen that the index is below the count, and for as many blocks
        // the initializer was given words.
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

    /// The first block from `index` on that is held, or is not; ``blockCount`` if there is none.
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

/// The memory belongs to whoever holds the map's plan at the time; it is never shared.
extension BlockMap: @unchecked Sendable {}
