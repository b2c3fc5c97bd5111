import Crypto

/// Builds MCUboot images for the tests, right unless told otherwise.
struct MCUbootWriter {
    var loadAddress: UInt32 = 0
    var headerByteCount = 32
    var body: [UInt8] = (0..<20).map { UInt8($0) }
    var flags: UInt32 = 0
    var protected: [Entry] = []
    /// In front of the entries goes the SHA-256, unless this is false.
    var hasHash = true
    var unprotected: [Entry] = []
    var padding: [UInt8] = []

    struct Entry {
        var type: UInt16
        var value: [UInt8]
        var bytes: [UInt8] { little(type) + little(UInt16(value.count)) + value }
    }

    static let slotMagic: [UInt8] = [
        0x77, 0xC2, 0x95, 0xF3, 0x60, 0xD2, 0xEF, 0x7F,
        0x35, 0x52, 0x50, 0x0F, 0x2C, 0xB6, 0x79, 0x80,
    ]

    /// What the hash covers.
    var hashed: [UInt8] {
        let area = protected.isEmpty ? [] : Self.area(magic: 0x6908, protected)
        let header =
            little(UInt32(0x96F3_B83D)) + little(loadAddress) + little(UInt16(headerByteCount))
            + little(UInt16(area.count)) + little(UInt32(body.count)) + little(flags)
            + [1, 2] + little(UInt16(3)) + little(UInt32(4)) + little(UInt32(0))
        return header + [UInt8](repeating: 0, count: max(0, headerByteCount - 32)) + body + area
    }

    var bytes: [UInt8] {
        let hash = hasHash ? [Entry(type: 0x10, value: Array(SHA256.hash(data: hashed)))] : []
        return hashed + Self.area(magic: 0x6907, hash + unprotected) + padding
    }

    static func area(magic: UInt16, _ entries: [Entry]) -> [UInt8] {
        let content = entries.flatMap(\.bytes)
        return little(magic) + little(UInt16(4 + content.count)) + content
    }
}

/// The bytes of a number, the lowest first.
fileprivate func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
