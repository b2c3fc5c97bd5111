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
        guard pageByteCount.isPowerOfTwo(in: 256...131_072),
            writeByteCount.isPowerOfTwo(in: 1...64),
            let slot = Self.area(slot.address, slot.byteCount, pageByteCount),
            let manifest = Self.area(manifest.address, manifest.byteCount, pageByteCount),
            let records = Self.area(recordAddress, 2 * pageByteCount, pageByteCount),
            slot.isApart(from: manifest), slot.isApart(from: records),
            manifest.isApart(from: records)
        else { return nil }
        self.pageByteCount = pageByteCount
        self.writeByteCount = writeByteCount
        self.slot = slot
        self.manifest = manifest
        self.records = records
    }

    /// 512 MiB, whose bits a number of 32 bits does not count any more; and every length below it
    /// is an `Int` where that has 32 bits.
    private static var areaByteCountEnd: UInt32 { 1 << 29 }

    @inline(never)
    private static func area(
        _ address: UInt32,
        _ byteCount: UInt32,
        _ pageByteCount: UInt32
    ) -> Range<UInt32>? {
        let end = address &+ byteCount
        // Not the case if it has no bytes, nor if its end is no address any more.
        guard address < end, byteCount < areaByteCountEnd,
            (address | byteCount) & (pageByteCount &- 1) == 0
        else { return nil }
        return address..<end
    }
}

extension Range<UInt32> {
    /// How much an area has.
    var byteCount: Int { Int(truncatingIfNeeded: upperBound &- lowerBound) }

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
