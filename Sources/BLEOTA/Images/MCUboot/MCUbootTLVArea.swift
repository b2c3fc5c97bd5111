/// One of the two lists of TLVs after the program. It consists of a magic number, the length of
/// the area including this header, and entries that fill the area exactly.
struct MCUbootTLVArea {
    static let headerByteCount = 4
    static let entryHeaderByteCount = 4

    private enum Offset {
        static let byteCount = 2
        static let entryByteCount = 2
    }

    let entries: [MCUbootTLV]
    /// The offset of the first byte past the end of the area.
    let end: Int

    static func magic(isProtected: Bool) -> UInt16 { isProtected ? 0x6908 : 0x6907 }

    /// The length that the header of the area at `offset` states.
    static func byteCount(
        ofHeader header: [UInt8],
        at offset: Int,
        isProtected: Bool
    ) throws(MCUbootFault) -> Int {
        let found = header.littleEndianUInt16(at: 0)
        if found != magic(isProtected: isProtected) {
            throw .areaMagic(isProtected: isProtected, offset: offset, found: found)
        }
        let byteCount = Int(header.littleEndianUInt16(at: Offset.byteCount))
        if byteCount < headerByteCount {
            throw .areaByteCount(isProtected: isProtected, found: byteCount)
        }
        return byteCount
    }

    /// - Parameter bytes: the whole area with its header.
    init(_ bytes: [UInt8], at offset: Int, isProtected: Bool) throws(MCUbootFault) {
        var entries: [MCUbootTLV] = []
        var position = Self.headerByteCount
        while position < bytes.count {
            let left = bytes.count - position
            if left < Self.entryHeaderByteCount {
                throw .incompleteEntry(offset: offset + position, byteCount: left)
            }
            let byteCount = Int(bytes.littleEndianUInt16(at: position + Offset.entryByteCount))
            let entry = MCUbootTLV(
                type: bytes.littleEndianUInt16(at: position),
                byteCount: byteCount,
                isProtected: isProtected,
                valueOffset: offset + position + Self.entryHeaderByteCount
            )
            if byteCount > left - Self.entryHeaderByteCount {
                throw .entryOverrun(entry, areaEnd: offset + bytes.count)
            }
            entries.append(entry)
            position += Self.entryHeaderByteCount + byteCount
        }
        self.entries = entries
        self.end = offset + bytes.count
    }
}
