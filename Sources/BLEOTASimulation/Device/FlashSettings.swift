public import BLEOTACore

/// The timing of a device's flash memory, and the way the store uses the memory.
///
/// The defaults are those of an nRF52832 (product specification, electrical characteristics of
/// the NVMC: 85 ms to erase a page of 4 KiB, 41 µs to write a word).
public struct FlashSettings: Sendable, Hashable {
    /// The page size in bytes: the unit of erasure, a power of two of at least 1,024. Default
    /// 4,096.
    public var pageByteCount = 4_096
    /// The time to erase a page, 0 or more. Default 85 ms.
    public var erase = Microseconds.milliseconds(85)
    /// The word size in bytes: the unit of programming, a power of two up to 16. Default 4.
    public var wordByteCount = 4
    /// The time to program a word, 1 µs or more. Default 41 µs.
    public var programWord = Microseconds(41)
    /// The number of pages after the first page with missing blocks that an idle store erases in
    /// advance, 0 or more. With 0, a page is erased only when its first block has arrived. Default
    /// 2.
    public var erasedAheadPageCount = 2
    /// The speed of hashing in bytes per second, 1 or more. The device hashes each block of the
    /// image before writing it, the manifest once it is complete, and finally the whole image.
    /// `nil`, the default, means that hashing takes no time.
    public var hashBytesPerSecond: Int?

    /// Creates the settings of an nRF52832.
    public init() {}

    /// Whether all values are within their ranges.
    public var isPossible: Bool {
        func isPowerOfTwo(_ number: Int) -> Bool { number > 0 && number & (number - 1) == 0 }
        return isPowerOfTwo(pageByteCount) && pageByteCount >= 1_024
            && isPowerOfTwo(wordByteCount) && wordByteCount <= 16
            && erase >= .zero && programWord > .zero && erasedAheadPageCount >= 0
            && hashBytesPerSecond.map { $0 > 0 } ?? true
    }

    /// The number of pages that this many bytes occupy.
    func pageCount(of byteCount: Int) -> Int {
        (byteCount + pageByteCount - 1) / pageByteCount
    }

    /// The time to program this many bytes.
    func programTime(of byteCount: Int) -> Microseconds {
        programWord * ((byteCount + wordByteCount - 1) / wordByteCount)
    }

    /// The time to hash this many bytes.
    func hashTime(of byteCount: Int) -> Microseconds {
        guard let hashBytesPerSecond else { return .zero }
        return Microseconds(Int64(byteCount) * 1_000_000 / Int64(hashBytesPerSecond))
    }

    /// The highest possible throughput of the flash, in bytes per second: each page is hashed,
    /// erased and programmed in turn. With the defaults, the result is 32,256: 4,096 bytes in 85
    /// ms + 1,024 · 41 µs.
    public var ceilingBytesPerSecond: Double {
        let time = hashTime(of: pageByteCount) + erase + programTime(of: pageByteCount)
        return Double(pageByteCount) * 1e6 / Double(time.rawValue)
    }
}
