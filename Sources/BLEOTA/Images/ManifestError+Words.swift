import BLEOTAManifest
import BLEOTAWire

extension ManifestError {
    /// A description of the error for use in parentheses.
    var words: String {
        switch self {
        case .tooShort(let byteCount): "it has only \(byteCount) bytes"
        case .tooLong(let byteCount): "it has \(byteCount) bytes, more than any manifest can have"
        case .notAManifest: "it does not begin like a manifest"
        case .unknownFormatVersion(let version):
            "format version \(version) is unknown to this release"
        case .blockSizeOutOfRange: "its block size is not allowed"
        case .emptyImage: "its image is empty"
        case .attributesTooLong: "its attributes are too long"
        case .wrongByteCount(let expected, let actual):
            "it has \(actual) bytes, but its fields need \(expected)"
        case .reservedNotZero: "a reserved byte is not zero"
        case .signaturesTooLong: "its signatures are too long"
        case .signatureCutShort: "a signature is cut short"
        case .signatureOutOfOrder: "a signature is out of order"
        case .signatureLengthOutOfRange: "a signature has the wrong length for its algorithm"
        case .attributeCutShort: "an attribute is cut short"
        case .attributeOutOfOrder: "an attribute is out of order"
        case .unknownAttribute(let type, _):
            "attribute \(type.rawValue) is required, but this release does not recognize it"
        case .attributeLengthOutOfRange(let type, _):
            "attribute \(type.rawValue) has the wrong length"
        case .textNotUTF8(let type, _): "the text of attribute \(type.rawValue) is not UTF-8"
        case .malformedHardware: "the hardware is not VENDOR/NAME with ascending revisions"
        case .malformedEncoding: "its encoding is empty, or does not match its base or seal"
        case .malformedSeal: "the recipients of its seal are out of order"
        case .nameIsPath: "its name is a path"
        }
    }
}
