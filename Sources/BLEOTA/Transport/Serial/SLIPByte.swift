/// The bytes that mean something to SLIP (RFC 1055).
enum SLIPByte {
    /// Stands before and after a packet.
    static let end: UInt8 = 0xC0
    /// The next byte stands for another.
    static let escape: UInt8 = 0xDB
    /// After ``escape``: 0xC0 as a byte of the packet.
    static let escapedEnd: UInt8 = 0xDC
    /// After ``escape``: 0xDB as a byte of the packet.
    static let escapedEscape: UInt8 = 0xDD
}
