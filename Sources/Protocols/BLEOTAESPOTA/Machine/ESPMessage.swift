import BLEOTA

/// The values of the characteristics, in both directions. Sources: the README of esp-iot-solution's
/// example `ble_ota`, and the changelog of its component `ble_ota_raw` for the window.
enum ESPMessage {
    /// The characteristic to which a value is written, or from which it comes.
    enum Channel: Hashable {
        case firmware
        case command
    }

    enum Command: UInt16 {
        case start = 1
        case stop = 2
    }

    /// The device's answer to a sector.
    enum SectorStatus: UInt16 {
        case success = 0
        case crcError = 1
        case wrongIndex = 2
        case wrongLength = 3
    }

    /// A value that the device sends.
    enum Received: Hashable {
        /// - Parameter window: how many sectors may be in flight; 0 if the device does not state
        ///   it.
        case answer(to: Command, isAccepted: Bool, window: Int)
        /// - Parameter wanted: the sector that the device expects, if the index was wrong.
        case sector(Int, SectorStatus, wanted: Int)
    }

    private static let answerID: UInt16 = 3
    private static let byteCount = 20

    static func start(byteCount: Int) -> [UInt8] {
        sealed(bytes(Command.start.rawValue) + bytes(UInt32(byteCount)))
    }

    static let stop = sealed(bytes(Command.stop.rawValue))

    /// - Returns: `nil` for a value that is not in the protocol, or that arrived damaged.
    static func received(_ value: [UInt8], from channel: Channel) -> Received? {
        guard value.count == byteCount, CRC16.checksum(of: value.dropLast(2)) == number(value, 18)
        else { return nil }
        switch channel {
        case .command:
            guard number(value, 0) == answerID, let command = Command(rawValue: number(value, 2))
            else { return nil }
            return .answer(to: command, isAccepted: number(value, 4) == 0, window: Int(value[6]))
        case .firmware:
            guard let status = SectorStatus(rawValue: number(value, 2)) else { return nil }
            return .sector(Int(number(value, 0)), status, wanted: Int(number(value, 4)))
        }
    }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    private static func number(_ value: [UInt8], _ offset: Int) -> UInt16 {
        UInt16(value[offset]) | UInt16(value[offset + 1]) << 8
    }

    /// The bytes, padded with zeros to the fixed length and followed by their checksum.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let padded = bytes + [UInt8](repeating: 0, count: byteCount - 2 - bytes.count)
        return padded + Self.bytes(CRC16.checksum(of: padded[...]))
    }
}
