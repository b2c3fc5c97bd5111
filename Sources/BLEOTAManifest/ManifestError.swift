/// A violation of the manifest format. It is always the sender's fault.
public enum ManifestError: Error, Hashable, Sendable {
    /// The manifest is shorter than the shortest valid one.
    case tooShort(byteCount: Int)
    /// The manifest is longer than ``ManifestLayout/byteCountMax``.
    case tooLong(byteCount: Int)
    /// The bytes do not begin with "BLM1".
    case notAManifest
    /// The format version is not supported.
    case unknownFormatVersion(UInt8)
    /// The block length is less than 256 bytes or more than 64 KiB.
    case blockSizeOutOfRange(exponent: UInt8)
    /// Reserved bytes are not zero.
    case reservedNotZero(byteOffset: Int)
    /// The image has no bytes.
    case emptyImage
    /// The attributes are longer than ``ManifestLayout/attributeByteCountMax``.
    case attributesTooLong(byteCount: Int)
    /// The length of the manifest does not match its fields.
    case wrongByteCount(expected: Int, actual: Int)
    /// The signatures are longer than ``ManifestLayout/signatureByteCountMax``.
    case signaturesTooLong(byteCount: Int, byteOffset: Int)
    /// A signature extends past the end of the signatures.
    case signatureCutShort(byteOffset: Int)
    /// The algorithm and key of a signature are not greater than those of the previous one.
    case signatureOutOfOrder(byteOffset: Int)
    /// A signature does not have the length that its algorithm requires.
    case signatureLengthOutOfRange(SignatureAlgorithm, byteOffset: Int)
    /// An attribute extends past the end of the attributes.
    case attributeCutShort(byteOffset: Int)
    /// The type of an attribute is not greater than that of the previous one.
    case attributeOutOfOrder(byteOffset: Int)
    /// An attribute has an unknown type with bit 7 set.
    case unknownAttribute(ManifestAttributeType, byteOffset: Int)
    /// The value of an attribute is shorter or longer than its type allows.
    case attributeLengthOutOfRange(ManifestAttributeType, byteOffset: Int)
    /// A string is not valid UTF-8. The offset is that of the first invalid byte.
    case textNotUTF8(ManifestAttributeType, byteOffset: Int)
    /// The lowest revision of the hardware is above the highest, or the name is not
    /// `vendor/hardware`.
    case malformedHardware(byteOffset: Int)
    /// The encoding is empty, or its base or seal is missing or superfluous.
    case malformedEncoding(byteOffset: Int)
    /// The recipients of a seal are not in order.
    case malformedSeal(byteOffset: Int)
    /// A name contains `/` or a zero byte, or is `.` or `..`.
    case nameIsPath(byteOffset: Int)

    /// The offset in the manifest at which the violation was found.
    public var byteOffset: Int {
        switch self {
        case .tooShort(let byteCount): byteCount
        case .tooLong: ManifestLayout.byteCountMax
        case .notAManifest: ManifestLayout.magic.lowerBound
        case .unknownFormatVersion: ManifestLayout.formatVersion
        case .blockSizeOutOfRange: ManifestLayout.blockSizeExponent
        case .emptyImage: ManifestLayout.imageByteCount
        case .attributesTooLong: ManifestLayout.attributeByteCount
        case .wrongByteCount(let expected, let actual): min(expected, actual)
        case .reservedNotZero(let byteOffset), .signaturesTooLong(_, let byteOffset),
            .signatureCutShort(let byteOffset), .signatureOutOfOrder(let byteOffset),
            .signatureLengthOutOfRange(_, let byteOffset),
            .attributeCutShort(let byteOffset), .attributeOutOfOrder(let byteOffset),
            .unknownAttribute(_, let byteOffset), .attributeLengthOutOfRange(_, let byteOffset),
            .textNotUTF8(_, let byteOffset), .nameIsPath(let byteOffset),
            .malformedHardware(let byteOffset), .malformedEncoding(let byteOffset),
            .malformedSeal(let byteOffset):
            byteOffset
        }
    }
}
