import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// What a manifest says of an encoding.
struct EncodingStatement {
    var compression: Compression
    /// The length of the image that is decoded.
    var byteCount: Int
    /// Its SHA-256.
    var sha256: [UInt8]
    /// That of the image that a patch is against.
    var base: [UInt8]?
    /// Some hashes of the image, where it is also offered as it is.
    var sketch: [UInt8]?
    /// The value of the attribute, where it is sealed.
    var seal: [UInt8]?

    /// The value of the attribute *encoding*.
    var value: [UInt8] {
        let byte = compression.rawValue | (seal == nil ? 0 : ManifestLayout.sealedBit)
        return [byte] + UInt32(byteCount).littleEndianBytes + sha256
    }
}
