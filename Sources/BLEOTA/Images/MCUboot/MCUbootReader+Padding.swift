extension MCUbootReader {
    /// Makes sure that only padding follows the TLVs: one erased value throughout, 0xFF or
    /// 0x00, up to the slot trailer, if there is one.
    ///
    /// - Returns: whether there is a slot trailer.
    func requirePadding(from start: Int) throws(FirmwareError) -> Bool {
        let trailer = try readTrailer(from: start)
        var erasedByte: UInt8?
        let padding = start..<(trailer?.magicOffset ?? content.byteCount)
        try content.forEachPiece(of: padding) { piece, pieceOffset throws(FirmwareError) in
            for (index, byte) in piece.enumerated() {
                let offset = pieceOffset + index
                let isConfirmation =
                    byte == MCUbootSlotTrailer.confirmed && offset == trailer?.confirmedOffset
                if isConfirmation { continue }
                let expected = erasedByte ?? byte
                guard byte == expected, expected == 0xFF || expected == 0x00 else {
                    throw error(.notPadding(offset: offset, found: byte))
                }
                erasedByte = expected
            }
        }
        return trailer != nil
    }

    private func readTrailer(from start: Int) throws(FirmwareError) -> MCUbootSlotTrailer? {
        let magicOffset = content.byteCount - MCUbootSlotTrailer.magicByteCount
        if magicOffset < start { return nil }
        let magic = try content.read(
            at: magicOffset,
            byteCount: MCUbootSlotTrailer.magicByteCount
        )
        return MCUbootSlotTrailer(magic: magic, at: magicOffset)
    }
}
