/// Where a receiver keeps things in a device's flash. Nothing outside the three areas is ever
/// written or erased.
public struct FlashLayout: Hashable, Sendable {
    /// Some of the flash.
    private struct Area: Hashable {
        let address: UInt32
        let byteCount: UInt32

        /// The area, if it does not wrap.
        var range: Range<UInt32> { Range(uncheckedBounds: (address, address &+ byteCount)) }

        /// Whether it has something, but less than 512 MiB, in whole pages, and does not wrap. So
        /// its bits are a number of 32 bits, and its length an `Int` where that has as many.
        func isValid(_ pageByteCount: UInt32) -> Bool {
            address < address &+ byteCount && byteCount < 1 << 29
                && (address | byteCount) & (pageByteCount &- 1) == 0
        }

        /// Whether two areas, of which neither is empty or wraps, have nothing in common: from the
        /// beginning of each to that of the other, if need be around the end of all addresses, it
        /// is as far as the first is long.
        func isApart(from other: Self) -> Bool {
            address &- other.address >= other.byteCount && other.address &- address >= byteCount
        }
    }

    /// How much an erasure erases: a power of two, 256 to 131,072 bytes.
    public let pageByteCount: UInt32
    /// How much can be programmed at once, at least: a power of two, 1 to 64 bytes.
    public let writeByteCount: UInt32
    private let slotArea: Area
    private let manifestArea: Area
    private let recordArea: Area

    /// Where a new image goes.
    public var slot: Range<UInt32> { slotArea.range }
    /// Where its manifest goes.
    public var manifest: Range<UInt32> { manifestArea.range }
    /// Two pages, for the record of what is in the slots.
    public var records: Range<UInt32> { recordArea.range }

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

    /// A layout that may not be valid, and then nothing else may be asked of it.
    ///
    /// Inlined, like what leads here, so that whoever has the numbers and asks for one of them
    /// copies none of the others.
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
        slotArea = Area(address: slot.address, byteCount: slot.byteCount)
        manifestArea = Area(address: manifest.address, byteCount: manifest.byteCount)
        recordArea = Area(address: recordAddress, byteCount: 2 &* pageByteCount)
    }

    /// Whether it is one that the initializer makes.
    package var isValid: Bool {
        guard pageByteCount.isPowerOfTwo(in: 256...131_072),
            writeByteCount.isPowerOfTwo(in: 1...64)
        else { return false }
        let areas: InlineArray = [slotArea, manifestArea, recordArea]
        // Each with the one before it, and the first with the last: so every two of the three.
        var other = recordArea
        for index in areas.span.indices {
            let area = areas.span[index]
            guard area.isValid(pageByteCount), area.isApart(from: other) else { return false }
            other = area
        }
        return true
    }
}

extension Range<UInt32> {
    /// How much an area has.
    var byteCount: Int { Int(truncatingIfNeeded: upperBound &- lowerBound) }
}

extension UInt32 {
    /// Whether it is a power of two in a range.
    func isPowerOfTwo(in range: ClosedRange<UInt32>) -> Bool {
        range.contains(self) && self & (self &- 1) == 0
    }
}
