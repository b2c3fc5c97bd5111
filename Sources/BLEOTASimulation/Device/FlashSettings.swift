public import BLEOTACore

/// A device whose image goes to flash memory: how long its parts take, and how the store uses them.
///
/// The defaults are those of an nRF52832 (product specification, electrical characteristics of the
/// NVMC: 85 ms to erase a page of 4 KiB, 41 µs to write a word).
public struct FlashSettings: Sendable, Hashable {
    /// What is erased at once, a power of two from 1,024 on. Default 4 KiB.
    public var pageByteCount = 4_096
    /// How long a page takes to erase, 0 or more. Default 85 ms.
    public var erase = Microseconds.milliseconds(85)
    /// What is programmed at once: the write granularity, a power of two up to 16. Default 4.
    public var wordByteCount = 4
    /// How long a word takes to program, 1 µs or more. Default 41 µs.
    public var programWord = Microseconds(41)
    /// How many pages past the first with missing blocks the store erases while it has nothing else
    /// to do. 0 erases a page when its first block is there, and none before. Default 2.
    public var erasedAheadPageCount = 2
    /// How fast the device hashes, in bytes a second, which it does before it writes a block, and
    /// over all of the manifest and the image; `nil`, the default, for a hash that takes no time.
    public var hashBytesPerSecond: Int?

    /// An nRF52832.
    public init() {}

    /// Whether the values are in their ranges.
    public var isPossible: Bool {
        func isPowerOfTwo(_ number: Int) -> Bool { number > 0 && number & (number - 1) == 0 }
        return isPowerOfTwo(pageByteCount) && pageByteCount >= 1_024
            && isPowerOfTwo(wordByteCount) && wordByteCount <= 16
            && erase >= .zero && programWord > .zero && erasedAheadPageCount >= 0
            && hashBytesPerSecond.map { $0 > 0 } ?? true
    }

    /// How many pages so many bytes take.
    func pageCount(of byteCount: Int) -> Int {
        (byteCount + pageByteCount - 1) / pageByteCount
    }

    /// How long so many bytes take to program.
    func programTime(of byteCount: Int) -> Microseconds {
        programWord * ((byteCount + wordByteCount - 1) / wordByteCount)
    }

    /// How long so many bytes take to hash.
    func hashTime(of byteCount: Int) -> Microseconds {
        guard let hashBytesPerSecond else { return .zero }
        return Microseconds(Int64(byteCount) * 1_000_000 / Int64(hashBytesPerSecond))
    }

    /// The most that the flash takes, in bytes a second: a page in the time that it is hashed,
    /// erased and programmed in, one after the other. 32,256 with the defaults: 4,096 bytes in
    /// 85 ms + 1,024 · 41 µs.
    public var ceilingBytesPerSecond: Double {
        let time = hashTime(of: pageByteCount) + erase + programTime(of: pageByteCount)
        return Double(pageByteCount) * 1e6 / Double(time.rawValue)
    }
}
