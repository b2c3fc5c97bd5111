/// The end of an image that was padded to the size of its slot. Its last sixteen bytes mark the
/// slot as bootable. A byte before them may already mark the image as confirmed.
struct MCUbootSlotTrailer {
    static let magicByteCount = 16
    /// The value of the byte that marks the image as confirmed.
    static let confirmed: UInt8 = 0x01

    /// The magic number for flash that is written in units of at most eight bytes.
    private static let plainMagic: [UInt8] = [
        0x77, 0xC2, 0x95, 0xF3, 0x60, 0xD2, 0xEF, 0x7F,
        0x35, 0x52, 0x50, 0x0F, 0x2C, 0xB6, 0x79, 0x80,
    ]
    private static let plainAlignment = 8
    /// The magic number for larger units, after the two bytes that hold the size of the unit.
    private static let alignedMagicEnd: [UInt8] = [
        0x2D, 0xE1, 0x5D, 0x29, 0x41, 0x0B, 0x8D,
        0x77, 0x67, 0x9C, 0x11, 0x0F, 0x1F, 0x8A,
    ]

    let magicOffset: Int
    /// The offset of the byte that may mark the image as confirmed.
    let confirmedOffset: Int

    /// Parses the last sixteen bytes of the image, which begin at `offset`; `nil` unless they
    /// are a magic number.
    init?(magic: [UInt8], at offset: Int) {
        let alignment: Int
        if magic == Self.plainMagic {
            alignment = Self.plainAlignment
        } else if magic.dropFirst(2).elementsEqual(Self.alignedMagicEnd) {
            alignment = Int(magic.littleEndianUInt16(at: 0))
        } else {
            return nil
        }
        guard alignment >= Self.plainAlignment, alignment.nonzeroBitCount == 1 else { return nil }
        // The magic number occupies whole units at the end; the confirmation is in the unit
        // before them.
        let magicUnitsByteCount = max(alignment, Self.magicByteCount)
        self.magicOffset = offset
        self.confirmedOffset =
            offset + Self.magicByteCount - magicUnitsByteCount - alignment
    }
}
