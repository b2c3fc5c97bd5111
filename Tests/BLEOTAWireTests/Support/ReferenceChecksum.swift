/// CRC-16/IBM-SDLC as section 2.4 words it: bit by bit, without tables, without the module.
enum ReferenceChecksum {
    static func value(of bytes: some Sequence<UInt8>) -> UInt16 {
        var remainder: UInt16 = 0xFFFF
        for byte in bytes {
            for position in 0..<8 {
                let bit = UInt16(byte >> position) & 1
                let feedback = (remainder & 1) ^ bit
                remainder >>= 1
                // 0x1021, reflected because the lowest bit of a byte goes first.
                if feedback == 1 { remainder ^= 0x8408 }
            }
        }
        return remainder ^ 0xFFFF
    }
}
