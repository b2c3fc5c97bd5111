/// The areas of a device's flash that a receiver uses. The receiver never writes or erases
/// anything outside the three areas.
public struct FlashLayout: Hashable, Sendable {
    /// A contiguous part of the flash.
    private struct Area: Hashable {
        let address: UInt32
        let byteCount: UInt32

        /// The addresses of the area, provided that they do not wrap around.
        var range: Range<UInt32> { Range(uncheckedBounds: (address, address &+ byteCount)) }

        /// Whether the area is not empty, is less than 512 MiB, consists of whole pages, and
        /// does not wrap around. Its length in bits then fits in 32 bits, and its length in
        /// bytes in an `Int` of 32 bits.
        func isValid(_ pageByteCount: UInt32) -> Bool {
            address < address &+ byteCount && byteCount < 1 << 29
                && (address | byteCount) & (pageByteCount &- 1) == 0
        }

        /// Whether two areas have no byte in common. Neither may be empty or wrap around. They
        /// are apart if, modulo 2³², each of them begins at least its own length before the
        /// other.
        func isApart(from other: Self) -> Bool {
            address &- other.address >= other.byteCount && other.address &- address >= byteCount
        }
    }

    /// The number of bytes that are erased at once: a power of two, 256 to 131,072.
    public let pageByteCount: UInt32
    /// The smallest number of bytes that can be programmed at once: a power of two, 1 to 64.
    public let writeByteCount: UInt32
    private let slotArea: Area
    private let manifestArea: Area
    private let recordArea: Area

    /// The area for a new image.
    public var slot: Range<UInt32> { slotArea.range }
    /// The area for the manifest of the new image.
    public var manifest: Range<UInt32> { manifestArea.range }
    /// Two pages for the record of the contents of the slots.
    public var records: Range<UInt32> { recordArea.range }

    /// Creates a layout. Returns `nil` if a size is out of range, or if an area is empty, is not
    /// less than 512 MiB, does not begin and end at a page boundary, or overlaps another area.
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

    /// Creates a layout that may be invalid. No other member may be used unless ``isValid`` is
    /// true.
    ///
    /// Inlined, as its callers are, so that code that uses only one of the numbers does not
    /// copy the others.
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

    /// Whether the public initializer would accept this layout.
    package var isValid: Bool {
        guard pageByteCount.isPowerOfTwo(in: 256...131_072),
            writeByteCount.isPowerOfTwo(in: 1...64)
        else { return false }
        let areas: InlineArray = [slotArea, manifestArea, recordArea]
        // Each area is compared with the one before it, and the first with the last, which
        // covers every pair.
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
    /// The length of the area in bytes.
    var byteCount: Int { Int(truncatingIfNeeded: upperBound &- lowerBound) }
}

extension UInt32 {
    /// Whether the number is a power of two within a range.
    func isPowerOfTwo(in range: ClosedRange<UInt32>) -> Bool {
        range.contains(self) && self & (self &- 1) == 0
    }
}
