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
        self.pageByteCount = pageByteCount
        self.writeByteCount = writeByteCount
        self.slot = Self.area(slot.address, slot.byteCount)
        self.manifest = Self.area(manifest.address, manifest.byteCount)
        records = Self.area(recordAddress, 2 &* pageByteCount)
        guard pageByteCount.isPowerOfTwo(in: 256...131_072),
            writeByteCount.isPowerOfTwo(in: 1...64),
            self.slot.isArea(of: pageByteCount, apartFrom: self.manifest),
            self.manifest.isArea(of: pageByteCount, apartFrom: records),
            records.isArea(of: pageByteCount, apartFrom: self.slot)
        else { return nil }
    }

    /// An area that has not been looked at: it ends before it begins if its end is no address.
    private static func area(_ address: UInt32, _ byteCount: UInt32) -> Range<UInt32> {
        Range(uncheckedBounds: (address, address &+ byteCount))
    }
}

extension Range<UInt32> {
    /// How much an area has.
    var byteCount: Int { Int(truncatingIfNeeded: upperBound &- lowerBound) }

    /// 512 MiB, whose bits a number of 32 bits does not count any more; and every length below it
    /// is an `Int` where that has 32 bits.
    private static var areaByteCountEnd: UInt32 { 1 << 29 }

    /// Whether it is an area of whole pages, and has nothing in common with one that may follow
    /// it or come before it.
    @inline(never)
    fileprivate func isArea(of pageByteCount: UInt32, apartFrom other: Self) -> Bool {
        // It does not begin before its end if it has no bytes, or its end is no address any more.
        lowerBound < upperBound && upperBound &- lowerBound < Self.areaByteCountEnd
            && (lowerBound | upperBound) & (pageByteCount &- 1) == 0
            && (upperBound <= other.lowerBound || other.upperBound <= lowerBound)
    }
}

extension UInt32 {
    /// Whether it is a power of two in a range.
    func isPowerOfTwo(in range: ClosedRange<UInt32>) -> Bool {
        range.contains(self) && self & (self &- 1) == 0
    }
}
