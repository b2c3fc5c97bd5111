import BLEOTACore

extension ChallengeNonce {
    /// Says the bytes as they are sent.
    func say(_ reading: inout Reading) {
        reading.begin("nonce")
        for index in 0..<8 { reading.hexByte(UInt8(truncatingIfNeeded: low >> UInt64(8 * index))) }
        for index in 0..<4 { reading.hexByte(UInt8(truncatingIfNeeded: high >> UInt32(8 * index))) }
    }
}

extension ReceiptPiece {
    /// Says the bytes as they are sent.
    func say(_ reading: inout Reading) {
        reading.begin("piece")
        for index in 0..<byteCount { reading.hexByte(self[index]) }
    }
}
