/// The header and the TLV areas of an MCUboot image that has passed all checks.
package struct MCUbootDescription: Sendable, Hashable {
    /// The result of checking the image against the hashes that it carries.
    package enum HashCheck: Sendable, Hashable {
        /// Every hash in the image matches its bytes.
        case verified
        /// The hash covers the decrypted image, so only the device can check it.
        case encrypted
        /// There is no hash. The signature covers the whole image, and only the device has the
        /// key to verify it.
        case signatureOnly
    }

    /// The version as MCUboot prints it: `1.2.3+4`, or `1.2.3` if the build number is 0.
    package let version: String
    /// The address to which the bootloader copies the image, if a flag enables that.
    package let loadAddress: UInt32
    /// The unmodified flags of the header. Bits 2 and 3 mean that the image is encrypted, bit 4
    /// that it is not bootable, and bit 5 that it runs from RAM.
    package let flags: UInt32
    /// The length of the header with its padding, at least 32 bytes.
    package let headerByteCount: Int
    /// The length of the program, at least 1 byte.
    package let bodyByteCount: Int
    /// The TLVs in the order of the file, which has the protected ones first.
    package let tlvs: [MCUbootTLV]
    /// The result of the hash check.
    package let hashCheck: HashCheck
    /// The number of bytes after the TLV areas: padding up to the slot size, and the slot
    /// trailer.
    package let paddingByteCount: Int
    /// Whether the file ends with a slot trailer, which makes a device boot the image without a
    /// further command.
    package let hasTrailer: Bool
}
