/// A bitmap of the arrived chunks among the 512 after the first missing one. Bit i stands for
/// chunk cumulative + 1 + i.
public struct ReceivedBitmap: Sendable, BitwiseCopyable {
    /// The number of bits that an ACK can carry.
    public static var bitCount: Int { 512 }

    private var words: InlineArray<16, UInt32>

    /// Creates an empty bitmap.
    public init() { words = InlineArray(repeating: 0) }

    /// Whether bit `index` is set.
    ///
    /// - Parameter index: 0 to 511.
    public subscript(index: Int) -> Bool {
        get { words[index >> 5] & (1 &<< UInt32(index & 31)) != 0 }
        set {
            let bit = UInt32(1) &<< UInt32(index & 31)
            if newValue { words[index >> 5] |= bit } else { words[index >> 5] &= ~bit }
        }
    }

    /// One past the highest set bit, or 0 if no bit is set.
    public var endIndex: Int {
        var word = words.count - 1
        while word >= 0 {
            if words[word] != 0 { return word * 32 + 32 - words[word].leadingZeroBitCount }
            word -= 1
        }
        return 0
    }

    /// The length on the wire without trailing zero bytes, 0 to 64.
    public var byteCount: Int { (endIndex + 7) / 8 }

    /// Byte `index` on the wire, 0 to 63.
    subscript(byte index: Int) -> UInt8 {
        get { UInt8(truncatingIfNeeded: words[index >> 2] &>> UInt32(8 * (index & 3))) }
        set {
            let shift = UInt32(8 * (index & 3))
            words[index >> 2] &= ~(0xFF &<< shift)
            words[index >> 2] |= UInt32(newValue) &<< shift
        }
    }
}

extension ReceivedBitmap {
    /// Writes the bytes of the bitmap without trailing zeros, and returns their number.
    func encode(at offset: Int, into output: inout MutableRawSpan) -> Int {
        let byteCount = byteCount
        // The array's subscript would copy the whole array for every byte.
        let words = words.span
        for index in 0..<byteCount {
            let word = words[index >> 2] &>> UInt32(8 * (index & 3))
            output.put(UInt8(truncatingIfNeeded: word), at: offset + index)
        }
        return byteCount
    }
}

extension ReceivedBitmap: Hashable {
    /// Whether the same bits are set in both bitmaps.
    public static func == (left: ReceivedBitmap, right: ReceivedBitmap) -> Bool {
        for word in left.words.indices where left.words[word] != right.words[word] { return false }
        return true
    }

    /// Hashes all bits.
    public func hash(into hasher: inout Hasher) {
        for word in words.indices { hasher.combine(words[word]) }
    }
}
