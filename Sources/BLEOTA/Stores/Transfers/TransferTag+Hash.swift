package import BLEOTAWire

extension TransferTag {
    /// Creates the tag of a manifest from its bytes, or of a name from its UTF-8: the first 8 bytes
    /// of the SHA-256. The cost is one hash of `bytes`.
    package init(hashing bytes: [UInt8]) {
        let first = bytes.withUnsafeBytes { bytes in
            SHA256.withDigest(of: bytes) { $0.loadUnaligned(as: UInt64.self) }
        }
        self.init(rawValue: UInt64(littleEndian: first))
    }

    /// The eight bytes in wire order, as 16 lowercase hexadecimal digits.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in 0..<8 {
            let value = Int(rawValue >> UInt64(8 * byte) & 0xFF)
            text += [digits[value >> 4], digits[value & 15]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
