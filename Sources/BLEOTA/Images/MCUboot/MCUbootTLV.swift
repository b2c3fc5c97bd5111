/// An entry of the metadata at the end of an MCUboot image, encoded as type, length and value.
package struct MCUbootTLV: Sendable, Hashable, CustomStringConvertible {
    /// The type of the value, as numbered by MCUboot.
    package let type: UInt16
    /// The length of the value in bytes, excluding the four bytes of the entry's header.
    package let byteCount: Int
    /// Whether the entry is in the area that the hash covers.
    package let isProtected: Bool
    /// The offset of the value in the image.
    package let valueOffset: Int

    /// The name and number of the type, such as `sha256 (0x10)`; only the number if the type is
    /// vendor-specific or newer than this list.
    package var description: String {
        let digits = String(type, radix: 16)
        let number = "0x" + (digits.count < 2 ? "0" : "") + digits
        return Self.name(of: type).map { "\($0) (\(number))" } ?? number
    }

    private static func name(of type: UInt16) -> String? {
        switch type {
        case 0x01: "key hash"
        case 0x02: "public key"
        case sha256: "sha256"
        case sha384: "sha384"
        case sha512: "sha512"
        case 0x20: "rsa-2048 signature"
        case 0x21, 0x22: "ecdsa signature"
        case 0x23: "rsa-3072 signature"
        case 0x24: "ed25519 signature"
        case wholeImageSignature: "signature of the whole image"
        case encryptionKeys: "encryption key"
        case 0x40: "dependency"
        case 0x50: "security counter"
        case 0x60: "boot record"
        case 0x70: "decompressed size"
        case 0x71: "decompressed hash"
        case 0x72: "decompressed signature"
        case 0x73: "decrypted compressed size"
        case 0x74: "vendor id"
        case 0x75: "class id"
        default: nil
        }
    }

    /// Whether the value is a hash of the image, by which bootloaders identify the image.
    package var isImageHash: Bool { Self.hashes.contains(type) }

    static let sha256: UInt16 = 0x10
    static let sha384: UInt16 = 0x11
    static let sha512: UInt16 = 0x12
    static let hashes = [sha256, sha384, sha512]
    /// The type that marks the signature as *pure*: made over the image and not over its hash.
    static let wholeImageSignature: UInt16 = 0x25
    /// The types for the image's encryption key, which is itself encrypted in one of five ways.
    static let encryptionKeys: ClosedRange<UInt16> = 0x30...0x34
}
