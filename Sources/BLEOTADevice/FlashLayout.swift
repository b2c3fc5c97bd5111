/// Where a receiver keeps things in a device's flash. Nothing outside the three areas is ever
/// written or erased.
public struct FlashLayout: Hashable, Sendable {
    /// How much an erasure erases: a power of two, 256 to 131,072 bytes.
    public let pageByteCount: UInt32
    /// How much can be programmed at once, at least: a power of two, 1 to 64 bytes.
    public let writeByteCount: UInt32
    /// Where a new image goes.
    public let slot: Range<UInt32>
    /// Where its manifest goes.
    public let manifest: Range<UInt32>
    /// Two pages, for the record of what is in the slots.
    public let records: Range<UInt32>

    /// A layout; `nil` if a size is out of its range, an area is empty, has 512 MiB or more, does
    /// not begin and end with a page, or has a page in common with another.
    public init?(
        pageByteCount: UInt32,
        writeByteCount: UInt32,
        slot: (address: UInt32, byteCount: UInt32),
        manifest: (address: UInt32, byteCount: UInt32),
        recordAddress: UInt32
    ) {
        self.init(
            unchecked: pageByteCount,
            writeByteCount: writeByteCount,
            slot: slot,
            manifest: manifest,
            recordAddress: recordAddress
        )
        guard isValid else { return nil }
    }

    /// A layout that nobody looked at yet, for whom has the numbers and asks for one of them at a
    /// time: then nothing is copied.
    @inline(__always)
    package init(
        unchecked pageByteCount: UInt32,
        writeByteCount: UInt32,
        slot: (address: UInt32, byteCount: UInt32),
        manifest: (address: UInt32, byteCount: UInt32),
        recordAddress: UInt32
    ) {
        self.pageByteCount = pageByteCount
        self.writeByteCount = writeByteCount
        self.slot = Range(slot.address, slot.byteCount)
        self.manifest = Range(manifest.address, manifest.byteCount)
        records = Range(recordAddress, 2 &* pageByteCount)
    }

    /// Whether it is one that the initializer makes.
    package var isValid: Bool {
        guard pageByteCount.isPowerOfTwo(in: 256...131_072),
            writeByteCount.isPowerOfTwo(in: 1...64)
        else { return false }
        let areas: InlineArray = [slot, manifest, records]
        let span = areas.span
        // Each with the one before it, and the first with the last: so of three every two.
        var other = records
        for index in span.indices {
            let area = span[index]
            guard area.isArea(of: pageByteCount), area.isApart(from: other) else { return false }
            other = area
        }
        return true
    }
}

extension Range<UInt32> {
    /// An area, if it does not wrap: else its end is not past its beginning.
    @inline(__always)
    fileprivate init(_ address: UInt32, _ byteCount: UInt32) {
        self.init(uncheckedBounds: (address, address &+ byteCount))
    }

    /// How much an area has.
    var byteCount: Int { Int(truncatingIfNeeded: upperBound &- lowerBound) }

    /// Whether it has something, but less than 512 MiB, in whole pages. So its bits are a number of
    /// 32 bits, and every length below it an `Int` where that has as many.
    fileprivate func isArea(of pageByteCount: UInt32) -> Bool {
        lowerBound < upperBound && upperBound &- lowerBound < 1 << 29
            && (lowerBound | upperBound) & (pageByteCount &- 1) == 0
    }

    /// Whether two areas, neither of which is empty, have nothing in common.
    fileprivate func isApart(from other: Self) -> Bool {
        upperBound <= other.lowerBound || other.upperBound <= lowerBound
    }
}

extension UInt32 {
    /// Whether it is a power of two in a range.
    func isPowerOfTwo(in range: ClosedRange<UInt32>) -> Bool {
        range.contains(self) && self & (self &- 1) == 0
    }
}
