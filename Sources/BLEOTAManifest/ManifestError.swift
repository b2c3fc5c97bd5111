/// What is wrong with a manifest. The sender's fault in every case.
public enum ManifestError: Error, Hashable, Sendable {
    /// Shorter than the shortest manifest.
    case tooShort(byteCount: Int)
    /// Longer than ``ManifestLayout/byteCountMax``.
    case tooLong(byteCount: Int)
    /// Does not begin with "BLM1".
    case notAManifest
    /// A format version that is not spoken here.
    case unknownFormatVersion(UInt8)
    /// Blocks of less than 256 bytes or more than 64 KiB.
    case blockSizeOutOfRange(exponent: UInt8)
    /// Reserved bytes that are not zero.
    case reservedNotZero(byteOffset: Int)
    /// An image of no bytes.
    case emptyImage
    /// More than ``ManifestLayout/attributeByteCountMax`` bytes of attributes.
    case attributesTooLong(byteCount: Int)
    /// Not as long as the fields say.
    case wrongByteCount(expected: Int, actual: Int)
    /// More than ``ManifestLayout/signatureByteCountMax`` bytes of signatures.
    case signaturesTooLong(byteCount: Int, byteOffset: Int)
    /// A signature that reaches past the end of the signatures.
    case signatureCutShort(byteOffset: Int)
    /// A signature whose algorithm and key are not greater than those of the one before.
    case signatureOutOfOrder(byteOffset: Int)
    /// A signature that is shorter or longer than its algorithm makes them.
    case signatureLengthOutOfRange(SignatureAlgorithm, byteOffset: Int)
    /// An attribute that reaches past the end of the attributes.
    case attributeCutShort(byteOffset: Int)
    /// An attribute whose type is not greater than that of the one before.
    case attributeOutOfOrder(byteOffset: Int)
    /// An attribute that must be understood and is not.
    case unknownAttribute(ManifestAttributeType, byteOffset: Int)
    /// An attribute whose value is shorter or longer than its type allows.
    case attributeLengthOutOfRange(ManifestAttributeType, byteOffset: Int)
    /// A text that is not UTF-8; the offset is that of the first byte that is not.
    case textNotUTF8(ManifestAttributeType, byteOffset: Int)
    /// A hardware whose lowest revision is above its highest, or whose name is not
    /// `vendor/hardware`.
    case malformedHardware(byteOffset: Int)
    /// An encoding of nothing, or one whose base or seal is missing or too many.
    case malformedEncoding(byteOffset: Int)
    /// A seal whose recipients are not in order.
    case malformedSeal(byteOffset: Int)
    /// A name with `/` or a zero byte, or one that is `.` or `..`.
    case nameIsPath(byteOffset: Int)

    /// Where in the manifest the fault is.
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
