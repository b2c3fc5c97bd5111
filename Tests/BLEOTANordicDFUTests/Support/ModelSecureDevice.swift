@testable import BLEOTANordicDFU

/// A bootloader with Secure DFU, as far as the machine can tell. It remembers over lost links.
struct ModelSecureDevice {
    let objectByteCountMax: Int
    let firmwareByteCount: Int
    private(set) var initPacket: [UInt8] = []
    private(set) var isInitExecuted = false
    /// The firmware that has arrived, with that of an object that was not executed yet.
    private(set) var firmware: [UInt8] = []
    private(set) var executedByteCount = 0
    private(set) var isActivated = false
    private var kind: UInt8 = 1
    private var objectEnd = 0
    private var receiptInterval = 0
    private var packetCount = 0

    init(objectByteCountMax: Int, firmwareByteCount: Int) {
        self.objectByteCountMax = objectByteCountMax
        self.firmwareByteCount = firmwareByteCount
    }

    /// - Returns: the answer.
    mutating func request(_ value: [UInt8]) -> [UInt8] {
        let (result, content) = answer(value)
        return [0x60, value[0], result] + content
    }

    private mutating func answer(_ value: [UInt8]) -> (UInt8, [UInt8]) {
        switch value[0] {
        case 1: return (create(value[1], Int(Self.number(value[2...]))), [])
        case 2:
            receiptInterval = Int(value[1]) | Int(value[2]) << 8
            packetCount = 0
            return (1, [])
        case 3: return (1, state)
        case 4: return (execute(), [])
        case 6:
            kind = value[1]
            return (1, Self.bytes(UInt32(kind == 1 ? 512 : objectByteCountMax)) + state)
        default: return (2, [])
        }
    }

    private var current: [UInt8] { kind == 1 ? initPacket : firmware }

    private var state: [UInt8] {
        var checksum = PrefixChecksum(current)
        return Self.bytes(UInt32(current.count))
            + Self.bytes(checksum.checksum(ofFirst: current.count))
    }

    private mutating func create(_ kind: UInt8, _ byteCount: Int) -> UInt8 {
        self.kind = kind
        packetCount = 0
        if kind == 1 {
            (initPacket, isInitExecuted, firmware, executedByteCount) = ([], false, [], 0)
            objectEnd = byteCount
            return 1
        }
        guard isInitExecuted else { return 8 }
        firmware.removeLast(firmware.count - executedByteCount)
        objectEnd = executedByteCount + byteCount
        return byteCount <= objectByteCountMax && objectEnd <= firmwareByteCount ? 1 : 3
    }

    private mutating func execute() -> UInt8 {
        if kind == 1 {
            isInitExecuted = initPacket.count == objectEnd || isInitExecuted
            return isInitExecuted ? 1 : 8
        }
        guard firmware.count == objectEnd, executedByteCount < objectEnd else { return 8 }
        executedByteCount = objectEnd
        isActivated = executedByteCount == firmwareByteCount
        return 1
    }

    /// - Returns: a receipt, if one is due.
    mutating func packet(_ value: [UInt8]) -> [UInt8]? {
        if kind == 1 { initPacket += value } else { firmware += value }
        packetCount += 1
        guard receiptInterval > 0, packetCount % receiptInterval == 0 else { return nil }
        return [0x60, 3, 1] + state
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }
}
