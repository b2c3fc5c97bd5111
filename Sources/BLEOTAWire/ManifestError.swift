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
    /// A signature, which this version of the protocol does not have.
    case unexpectedSignature(byteOffset: Int)
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
        case .reservedNotZero(let byteOffset), .unexpectedSignature(let byteOffset),
            .attributeCutShort(let byteOffset), .attributeOutOfOrder(let byteOffset),
            .unknownAttribute(_, let byteOffset), .attributeLengthOutOfRange(_, let byteOffset),
            .textNotUTF8(_, let byteOffset), .nameIsPath(let byteOffset):
            byteOffset
        }
    }
}
