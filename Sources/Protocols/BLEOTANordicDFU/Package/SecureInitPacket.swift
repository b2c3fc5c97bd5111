/// The statements of a Secure DFU init packet about its image, as far as they can be checked
/// without the device. Source: the field numbers of Nordic's `dfu-cc.proto`.
struct SecureInitPacket: Hashable {
    private enum PacketField {
        static let command: UInt64 = 1
        static let signedCommand: UInt64 = 2
    }

    private enum CommandField {
        static let opCode: UInt64 = 1
        static let initCommand: UInt64 = 2
    }

    private enum InitField {
        static let type: UInt64 = 4
        static let softdeviceByteCount: UInt64 = 5
        static let bootloaderByteCount: UInt64 = 6
        static let applicationByteCount: UInt64 = 7
        static let hash: UInt64 = 8
    }

    private enum HashField {
        static let type: UInt64 = 1
        static let hash: UInt64 = 2
    }

    private static let opCodeOfInit: UInt64 = 1
    private static let hashTypeOfSHA256: UInt64 = 3

    /// `nil` if the packet is for another kind of image, which a device may support.
    let kind: DFUPart.Kind?
    let softdeviceByteCount: Int
    let bootloaderByteCount: Int
    let applicationByteCount: Int
    /// The SHA-256 of the image; `nil` if the packet has another kind of hash.
    let sha256: [UInt8]?

    /// - Returns: `nil` if the bytes are not an init packet.
    init?(_ bytes: [UInt8]) {
        guard let packet = ProtobufFields(bytes[...]) else { return nil }
        let signed = packet.message(PacketField.signedCommand)
        guard
            let command = signed?.message(PacketField.command)
                ?? packet.message(PacketField.command),
            command.number(CommandField.opCode) ?? Self.opCodeOfInit == Self.opCodeOfInit,
            let fields = command.message(CommandField.initCommand)
        else { return nil }
        kind = Self.kinds[fields.number(InitField.type) ?? 0]
        softdeviceByteCount = Self.byteCount(fields.number(InitField.softdeviceByteCount))
        bootloaderByteCount = Self.byteCount(fields.number(InitField.bootloaderByteCount))
        applicationByteCount = Self.byteCount(fields.number(InitField.applicationByteCount))
        let hash = fields.message(InitField.hash)
        // The packet states the hash in reverse byte order.
        sha256 =
            hash?.number(HashField.type) == Self.hashTypeOfSHA256
            ? hash?.bytes(HashField.hash).map { $0.reversed() } : nil
    }

    /// The length of the image that the packet is for.
    var firmwareByteCount: Int? {
        switch kind {
        case .application: applicationByteCount
        case .softdevice: softdeviceByteCount
        case .bootloader: bootloaderByteCount
        case .softdeviceAndBootloader: softdeviceByteCount + bootloaderByteCount
        case nil: nil
        }
    }

    private static let kinds: [UInt64: DFUPart.Kind] = [
        0: .application, 1: .softdevice, 2: .bootloader, 3: .softdeviceAndBootloader,
    ]

    private static func byteCount(_ number: UInt64?) -> Int {
        Int(min(number ?? 0, UInt64(UInt32.max)))
    }
}
