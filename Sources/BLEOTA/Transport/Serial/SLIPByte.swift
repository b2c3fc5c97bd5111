/// The bytes with a special meaning in SLIP (RFC 1055).
enum SLIPByte {
    /// Precedes and follows every packet.
    static let end: UInt8 = 0xC0
    /// Changes the meaning of the next byte.
    static let escape: UInt8 = 0xDB
    /// After ``escape``: the byte 0xC0 of the packet.
    static let escapedEnd: UInt8 = 0xDC
    /// After ``escape``: the byte 0xDB of the packet.
    static let escapedEscape: UInt8 = 0xDD
}
