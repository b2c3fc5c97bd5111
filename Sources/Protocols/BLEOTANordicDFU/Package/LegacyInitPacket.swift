/// What an init packet of Legacy DFU says about its image. Source: nRF51 SDK 8, "Init packet".
struct LegacyInitPacket: Hashable {
    /// Device type and revision, version of the application, number of SoftDevices.
    private static let headByteCount = 10
    private static let crcByteCount = 2
    private static let byteCountMin = 14

    /// The CRC of the image, if the packet ends with it. Packets of later versions of the format
    /// end with a hash or a signature.
    let crc: UInt16?

    /// - Returns: `nil` if the bytes are not an init packet.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.byteCountMin else { return nil }
        let softdeviceCount = Int(bytes[8]) | Int(bytes[9]) << 8
        let end = Self.headByteCount + 2 * softdeviceCount
        guard bytes.count >= end + Self.crcByteCount else { return nil }
        let isCRC = bytes.count == end + Self.crcByteCount
        crc = isCRC ? UInt16(bytes[end]) | UInt16(bytes[end + 1]) << 8 : nil
    }

    /// CRC-16 with the polynomial 0x1021 and the initial value 0xFFFF.
    static func crc(of bytes: [UInt8]) -> UInt16 {
        var crc: UInt16 = 0xFFFF
        for byte in bytes {
            crc = crc >> 8 | crc << 8
            crc ^= UInt16(byte)
            crc ^= (crc & 0xFF) >> 4
            crc ^= crc << 12
            crc ^= (crc & 0xFF) << 5
        }
        return crc
    }
}
