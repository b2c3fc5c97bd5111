public import BLEOTACore

/// A physical layer of Bluetooth LE, which determines the airtime of packets (Bluetooth Core
/// 5.4, volume 6, part B, 2.1 and 2.2).
public enum PHY: String, Sendable, Hashable, CaseIterable {
    /// 1 Mbit/s.
    case le1M = "1M"
    /// 2 Mbit/s.
    case le2M = "2M"
    /// 500 kbit/s, coded with two symbols per bit.
    case codedS2 = "coded S2"
    /// 125 kbit/s, coded with eight symbols per bit.
    case codedS8 = "coded S8"

    /// The header of a link-layer packet.
    private static let headerByteCount = 2
    private static let accessAddressByteCount = 4
    private static let checksumByteCount = 3
    /// The part of a coded packet that is always sent with eight symbols per bit, in µs: preamble
    /// 80, access address 256, coding indicator 16, terminator 24.
    private static let codedHead = 80 + 256 + 16 + 24
    /// The terminator at the end of a coded packet, in bits.
    private static let terminatorBitCount = 3

    /// Returns the airtime of a link-layer packet.
    ///
    /// - Parameter byteCount: the length of the payload, including the 4 bytes of the integrity
    ///   check if it is encrypted; 0 to 255.
    public func airTime(ofPayload byteCount: Int) -> Microseconds {
        precondition((0...255).contains(byteCount))
        let counted = Self.headerByteCount + byteCount + Self.checksumByteCount
        switch self {
        case .le1M:
            return Microseconds(Int64(8 * (1 + Self.accessAddressByteCount + counted)))
        case .le2M:
            return Microseconds(Int64(4 * (2 + Self.accessAddressByteCount + counted)))
        case .codedS2: return Self.coded(byteCount: counted, symbolsPerBit: 2)
        case .codedS8: return Self.coded(byteCount: counted, symbolsPerBit: 8)
        }
    }

    private static func coded(byteCount: Int, symbolsPerBit: Int) -> Microseconds {
        let bitCount = 8 * byteCount + terminatorBitCount
        return Microseconds(Int64(codedHead + symbolsPerBit * bitCount))
    }
}
