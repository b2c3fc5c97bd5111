/// A request to the control point of Secure DFU. Source: nRF5 SDK, "DFU transport: BLE".
enum SecureRequest: Hashable {
    /// Send a receipt each time this many packets have arrived; 0 for no receipts.
    case setReceipts(everyPacketCount: Int)
    /// Create an object of this length, and discard the previous one of its kind unless it was
    /// executed.
    case create(SecureObject.Kind, byteCount: Int)
    /// Report the state of the object.
    case checksum
    /// Execute the object.
    case execute
    /// Report the state of the objects of this kind.
    case select(SecureObject.Kind)

    var opCode: UInt8 {
        switch self {
        case .create: 1
        case .setReceipts: 2
        case .checksum: 3
        case .execute: 4
        case .select: 6
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .setReceipts(let count): [opCode, UInt8(count & 0xFF), UInt8(count >> 8)]
        case .create(let kind, let byteCount):
            [opCode, kind.rawValue]
                + withUnsafeBytes(of: UInt32(byteCount).littleEndian, Array.init)
        case .checksum, .execute: [opCode]
        case .select(let kind): [opCode, kind.rawValue]
        }
    }
}

/// A part of the init packet or of the firmware that a device checks and executes as a whole.
struct SecureObject: Hashable {
    enum Kind: UInt8, Hashable {
        case initPacket = 1
        case firmware = 2

        var step: DFUStep { self == .initPacket ? .initPacket : .firmware }
    }

    let kind: Kind
    /// The bytes of the init packet or of the firmware that the object consists of.
    let range: Range<Int>

    var create: SecureRequest { .create(kind, byteCount: range.count) }
}
