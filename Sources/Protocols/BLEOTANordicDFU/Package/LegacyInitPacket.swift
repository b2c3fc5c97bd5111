/// The statements of a Legacy DFU init packet about its image. Source: nRF51 SDK 8, "Init packet".
struct LegacyInitPacket: Hashable {
    /// The length of the device type and revision, the version of the application, and the number
    /// of SoftDevices.
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
}
