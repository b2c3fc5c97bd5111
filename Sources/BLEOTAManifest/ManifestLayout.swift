/// Where the fields of a manifest stand (spec/bleota.md, section 4.2), and their limits.
public enum ManifestLayout {
    /// The four bytes a manifest begins with.
    public static var magic: Range<Int> { 0..<4 }
    /// The version of the format, u8.
    public static var formatVersion: Int { 4 }
    /// The exponent k of the block size 2^k, u8.
    public static var blockSizeExponent: Int { 5 }
    /// Reserved, u16.
    public static var reservedBeforeImageByteCount: Int { 6 }
    /// The length of the image as it travels, u32.
    public static var imageByteCount: Int { 8 }
    /// The length of the attributes, u16.
    public static var attributeByteCount: Int { 12 }
    /// Reserved, u16.
    public static var reservedBeforeSHA256: Int { 14 }
    /// The SHA-256 of the image as it travels.
    public static var sha256: Range<Int> { 16..<48 }
    /// The first attribute, or the first block hash where there is none.
    public static var attributes: Int { 48 }

    /// In an attribute: its type, u8.
    public static var attributeType: Int { 0 }
    /// In an attribute: the length of its value, u8.
    public static var attributeValueByteCount: Int { 1 }
    /// In an attribute: its value.
    public static var attributeValue: Int { 2 }

    /// In the value of a hardware attribute: the lowest revision, u16.
    public static var lowestRevision: Int { 0 }
    /// In the value of a hardware attribute: the highest revision, u16.
    public static var highestRevision: Int { 2 }
    /// In the value of a hardware attribute: its name.
    public static var hardwareName: Int { 4 }

    /// In the value of an encoding: the compression, and ``sealedBit``, u8.
    public static var encodingByte: Int { 0 }
    /// In the value of an encoding: the length of the image, u32.
    public static var decodedImageByteCount: Int { 1 }
    /// In the value of an encoding: the SHA-256 of the image.
    public static var decodedImageSHA256: Int { 5 }
    /// The bit of an encoding that says that the image is sealed.
    public static var sealedBit: UInt8 { 0x80 }

    /// In the value of a sketch: how much it has of a block's SHA-256.
    public static var sketchHashByteCount: Int { 4 }
    /// The most blocks that a sketch is of.
    public static var sketchHashCountMax: Int { 63 }

    /// In the value of a seal: the first recipient, after the public key made for the image.
    public static var sealRecipients: Int { 32 }
    /// In the value of a seal: what each recipient takes.
    public static var sealRecipientByteCount: Int { 56 }
    /// In a recipient: the content key, sealed, after the first 8 bytes of the SHA-256 of its key.
    public static var sealedContentKey: Int { 8 }
    /// The most recipients that fit the 255 bytes of an attribute.
    public static var sealRecipientCountMax: Int { 3 }
    /// What sealing adds to each block.
    public static var sealTagByteCount: Int { 16 }

    /// In a signature: its algorithm, u8.
    public static var signatureAlgorithm: Int { 0 }
    /// In a signature: reserved, u8.
    public static var reservedInSignature: Int { 1 }
    /// In a signature: the length of its value, u16.
    public static var signatureValueByteCount: Int { 2 }
    /// In a signature: the first 8 bytes of the SHA-256 of its key.
    public static var signatureKeyID: Int { 4 }
    /// In a signature: its value.
    public static var signatureValue: Int { 12 }

    /// What a signed message begins with, so that it is none of anything else: 16 bytes of ASCII.
    /// The SHA-256 of ``ManifestFields/signedBytes`` follows.
    public static var signatureLabel: StaticString { "bleota manifest1" }

    /// "BLM1", as a little-endian number.
    public static var magicNumber: UInt32 { 0x314D_4C42 }
    /// The version of the format that this module reads.
    public static var supportedFormatVersion: UInt8 { 1 }
    /// Blocks of 256 bytes to 64 KiB.
    public static var blockSizeExponents: ClosedRange<UInt8> { 8...16 }
    /// The most bytes that attributes may take.
    public static var attributeByteCountMax: Int { 4_096 }
    /// How much of a block's SHA-256 is kept.
    public static var blockHashByteCount: Int { 16 }
    /// The most bytes that signatures may take: 53 of 64 bytes, or the one of a larger kind.
    public static var signatureByteCountMax: Int { 4_096 }
    /// The length of the length of the signatures.
    public static var signatureLengthByteCount: Int { 2 }

    /// The shortest manifest: no attributes, one block and no signature.
    public static var byteCountMin: Int {
        attributes + blockHashByteCount + signatureLengthByteCount
    }
    /// The longest manifest, 32 MiB: an image of 4 GiB in blocks of 4 KiB needs half of it.
    public static var byteCountMax: Int { 33_554_432 }
    /// The blocks in which a host stores a manifest itself.
    public static var storageBlockByteCount: Int { 4_096 }
}
