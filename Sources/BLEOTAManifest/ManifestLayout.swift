/// The byte offsets of the fields of a manifest (spec/bleota.md, section 4.2), and their
/// limits.
public enum ManifestLayout {
    /// The first four bytes of a manifest.
    public static var magic: Range<Int> { 0..<4 }
    /// The version of the format, u8.
    public static var formatVersion: Int { 4 }
    /// The exponent k of the block size 2^k, u8.
    public static var blockSizeExponent: Int { 5 }
    /// Reserved, u16.
    public static var reservedBeforeImageByteCount: Int { 6 }
    /// The length of the transferred image, u32.
    public static var imageByteCount: Int { 8 }
    /// The length of the attributes, u16.
    public static var attributeByteCount: Int { 12 }
    /// Reserved, u16.
    public static var reservedBeforeSHA256: Int { 14 }
    /// The SHA-256 of the transferred image.
    public static var sha256: Range<Int> { 16..<48 }
    /// The first attribute, or the first block hash if there are no attributes.
    public static var attributes: Int { 48 }

    /// In an attribute: the type, u8.
    public static var attributeType: Int { 0 }
    /// In an attribute: the length of the value, u8.
    public static var attributeValueByteCount: Int { 1 }
    /// In an attribute: the value.
    public static var attributeValue: Int { 2 }

    /// In the value of a hardware attribute: the lowest revision, u16.
    public static var lowestRevision: Int { 0 }
    /// In the value of a hardware attribute: the highest revision, u16.
    public static var highestRevision: Int { 2 }
    /// In the value of a hardware attribute: the name.
    public static var hardwareName: Int { 4 }

    /// In the value of an encoding: the compression and ``sealedBit``, u8.
    public static var encodingByte: Int { 0 }
    /// In the value of an encoding: the length of the decoded image, u32.
    public static var decodedImageByteCount: Int { 1 }
    /// In the value of an encoding: the SHA-256 of the decoded image.
    public static var decodedImageSHA256: Int { 5 }
    /// In the first byte of an encoding: the bit that marks a sealed image.
    public static var sealedBit: UInt8 { 0x80 }

    /// In the value of a sketch: the length of each hash.
    public static var sketchHashByteCount: Int { 4 }
    /// The maximum number of hashes in a sketch.
    public static var sketchHashCountMax: Int { 63 }

    /// In the value of a seal: the first recipient, which follows the ephemeral public key.
    public static var sealRecipients: Int { 32 }
    /// In the value of a seal: the length of each recipient.
    public static var sealRecipientByteCount: Int { 56 }
    /// In a recipient: the sealed content key, which follows the key ID.
    public static var sealedContentKey: Int { 8 }
    /// The maximum number of recipients, which is limited by the 255 bytes of an attribute
    /// value.
    public static var sealRecipientCountMax: Int { 3 }
    /// The number of bytes that sealing adds to each block.
    public static var sealTagByteCount: Int { 16 }

    /// In a signature: the algorithm, u8.
    public static var signatureAlgorithm: Int { 0 }
    /// In a signature: reserved, u8.
    public static var reservedInSignature: Int { 1 }
    /// In a signature: the length of the value, u16.
    public static var signatureValueByteCount: Int { 2 }
    /// In a signature: the key ID, which is the first 8 bytes of the SHA-256 of the public key.
    public static var signatureKeyID: Int { 4 }
    /// In a signature: the value.
    public static var signatureValue: Int { 12 }

    /// The first 16 bytes of a signed message, in ASCII. They ensure that the message has no
    /// meaning in any other context. The SHA-256 of ``ManifestFields/signedBytes`` follows.
    public static var signatureLabel: StaticString { "bleota manifest1" }

    /// The magic "BLM1" as a little-endian number.
    public static var magicNumber: UInt32 { 0x314D_4C42 }
    /// The format version that this module supports.
    public static var supportedFormatVersion: UInt8 { 1 }
    /// The valid exponents, for blocks of 256 bytes to 64 KiB.
    public static var blockSizeExponents: ClosedRange<UInt8> { 8...16 }
    /// The maximum length of all attributes in bytes.
    public static var attributeByteCountMax: Int { 4_096 }
    /// The length of a block hash, which is truncated from a SHA-256.
    public static var blockHashByteCount: Int { 16 }
    /// The maximum length of all signatures: room for 53 signatures of 64 bytes each, or for a
    /// single longer one.
    public static var signatureByteCountMax: Int { 4_096 }
    /// The length of the field that holds the length of the signatures.
    public static var signatureLengthByteCount: Int { 2 }

    /// The length of the shortest manifest, which has no attributes, one block and no
    /// signature.
    public static var byteCountMin: Int {
        attributes + blockHashByteCount + signatureLengthByteCount
    }
    /// The length of the longest manifest, 32 MiB. An image of 4 GiB in blocks of 4 KiB needs half
    /// of this length.
    public static var byteCountMax: Int { 33_554_432 }
    /// The length of the blocks in which a host stores a manifest.
    public static var storageBlockByteCount: Int { 4_096 }
}
