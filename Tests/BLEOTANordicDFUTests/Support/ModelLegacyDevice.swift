@testable import BLEOTANordicDFU

/// A bootloader with Legacy DFU, as far as the machine can tell. It forgets when it restarts.
struct ModelLegacyDevice {
    private(set) var firmware: [UInt8] = []
    private(set) var isActivated = false
    private var awaited: UInt8 = 0
    private var byteCount = 0
    private var hasInitPacket = false
    private var isValidated = false
    private var isBusy = false
    private var receiptInterval = 0
    private var packetCount = 0
    private let expected: [UInt8]

    init(expecting firmware: [UInt8]) { expected = firmware }

    /// - Returns: the answer, and whether the device restarts.
    mutating func request(_ value: [UInt8]) -> (value: [UInt8]?, isRestarting: Bool) {
        switch value[0] {
        case 1, 3: awaited = value[0]
        case 2:
            awaited = 2
            if value[1] == 1 { return ([0x10, 2, hasInitPacket ? 1 : 6], false) }
        case 4:
            isValidated = firmware == expected
            return ([0x10, 4, isValidated ? 1 : 5], false)
        case 5:
            isActivated = isValidated
            restart()
            return (nil, true)
        case 6:
            restart()
            return (nil, true)
        case 8: (receiptInterval, packetCount) = (Int(value[1]), 0)
        default: return ([0x10, value[0], 3], false)
        }
        return (nil, false)
    }

    private mutating func restart() {
        (firmware, isBusy, awaited, hasInitPacket, isValidated) = ([], false, 0, false, false)
    }

    /// - Returns: what the device has to say.
    mutating func packet(_ value: [UInt8]) -> [UInt8]? {
        switch awaited {
        case 1:
            awaited = 0
            if isBusy { return [0x10, 1, 2] }
            byteCount = stride(from: 0, to: 12, by: 4).reduce(0) { sum, index in
                sum + value[index..<index + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
            (isBusy, firmware) = (true, [])
            return [0x10, 1, 1]
        case 2:
            hasInitPacket = true
            return nil
        case 3:
            firmware += value
            packetCount += 1
            if firmware.count == byteCount { return [0x10, 3, 1] }
            guard packetCount % receiptInterval == 0 else { return nil }
            return [0x11] + withUnsafeBytes(of: UInt32(firmware.count).littleEndian, Array.init)
        default: return nil
        }
    }
}
