import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// The statements of a manifest about an encoding.
struct EncodingStatement {
    var compression: Compression
    /// The length of the decoded image.
    var byteCount: Int
    /// The SHA-256 of the decoded image.
    var sha256: [UInt8]
    /// The SHA-256 of the image that a patch applies to.
    var base: [UInt8]?
    /// A sketch of the image, if the image is also offered unencoded.
    var sketch: [UInt8]?
    /// The value of the *seal* attribute, if the image is sealed.
    var seal: [UInt8]?

    /// The value of the *encoding* attribute.
    var value: [UInt8] {
        let byte = compression.rawValue | (seal == nil ? 0 : ManifestLayout.sealedBit)
        return [byte] + UInt32(byteCount).littleEndianBytes + sha256
    }
}
