import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// The message that a signature covers (spec/bleota.md, section 4.3).
enum SignedMessage {
    /// - Parameter signedBytes: the part of the manifest before the signatures and their
    ///   length.
    static func bytes(of signedBytes: RawSpan) -> [UInt8] {
        let digest = signedBytes.withUnsafeBytes { SHA256.withDigest(of: $0) { Array($0) } }
        let label = ManifestLayout.signatureLabel.withUTF8Buffer { Array($0) }
        return label + digest
    }
}
