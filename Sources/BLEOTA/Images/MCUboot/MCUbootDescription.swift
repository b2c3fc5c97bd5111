/// What the header and the TLV areas of an MCUboot image say, after they were checked.
package struct MCUbootDescription: Sendable, Hashable {
    /// Whether the bytes were held against the hash that the image carries.
    package enum HashCheck: Sendable, Hashable {
        /// Every hash in the image agrees with its bytes.
        case verified
        /// The hash is that of the decrypted image, so only the device can check it.
        case encrypted
        /// There is no hash: the signature is one of the whole image, and only the device has the
        /// key to check it.
        case signatureOnly
    }

    /// The version as MCUboot prints it: `1.2.3+4`, or `1.2.3` where the build number is 0.
    package let version: String
    /// Where the bootloader is to put the image, if a flag says that this counts.
    package let loadAddress: UInt32
    /// The flags of the header as they are; bit 2 or 3 says encrypted, bit 4 not bootable, bit 5
    /// run from RAM.
    package let flags: UInt32
    /// The header with its padding, at least 32 bytes.
    package let headerByteCount: Int
    /// The program, at least 1 byte.
    package let bodyByteCount: Int
    /// The TLVs in the order of the file, the protected ones first.
    package let tlvs: [MCUbootTLV]
    /// Whether the hash was checked.
    package let hashCheck: HashCheck
    /// The bytes behind the TLV areas: padding up to the size of the slot, and its trailer.
    package let paddingByteCount: Int
}
