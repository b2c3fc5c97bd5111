/// The values of the control point of Legacy DFU, in both directions. Source: nRF51 SDK 8, "BLE DFU
/// Service".
enum LegacyMessage {
    enum Request {
        static let start: UInt8 = 1
        static let initPacket: UInt8 = 2
        static let receive: UInt8 = 3
        static let validate: UInt8 = 4
        static let activate: UInt8 = 5
        static let reset: UInt8 = 6
        static let setReceipts: UInt8 = 8
    }

    /// The parts of an update, as bits.
    enum ImageType {
        static let softdevice: UInt8 = 1
        static let bootloader: UInt8 = 2
        static let application: UInt8 = 4
    }

    private static let response: UInt8 = 0x10
    private static let receipt: UInt8 = 0x11

    /// A value that the device sends.
    enum Received: Hashable {
        case response(to: UInt8, LegacyResult)
        /// The device has received this many bytes of firmware.
        case receipt(byteCount: Int)
    }

    /// - Returns: `nil` for any other value.
    static func received(_ value: [UInt8]) -> Received? {
        if value.count >= 3, value[0] == response {
            return .response(to: value[1], LegacyResult(rawValue: value[2]))
        }
        guard value.count >= 5, value[0] == receipt else { return nil }
        return .receipt(byteCount: Int(value[1..<5].reversed().reduce(0) { $0 << 8 | UInt32($1) }))
    }

    /// The beginning of an update: the parts of the image, and then the length of each part.
    static func start(_ part: DFUPart) -> [DFUAction] {
        let sizes = [
            part.softdeviceByteCount, part.bootloaderByteCount, part.applicationByteCount,
        ]
        let types = [ImageType.softdevice, ImageType.bootloader, ImageType.application]
        let type = zip(sizes, types).reduce(0) { $1.0 > 0 ? $0 | $1.1 : $0 }
        let packet = sizes.flatMap { withUnsafeBytes(of: UInt32($0).littleEndian, Array.init) }
        return [.request([Request.start, type]), .packet(packet)]
    }

    /// The init packet in pieces, with its beginning and its end announced.
    static func initPacket(_ bytes: [UInt8]) -> [DFUAction] {
        let size = LegacyDFU.packetByteCountMax
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            DFUAction.packet(Array(bytes[$0..<min($0 + size, bytes.count)]))
        }
        return [.request([Request.initPacket, 0])] + pieces + [.request([Request.initPacket, 1])]
    }

    /// The announcement of the firmware.
    static func receive(receiptInterval: Int) -> [DFUAction] {
        [.request([Request.setReceipts, UInt8(receiptInterval), 0]), .request([Request.receive])]
    }
}
