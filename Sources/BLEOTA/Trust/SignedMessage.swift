import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// The messages that signatures cover (spec/bleota.md, sections 4.3 and 7.2).
enum SignedMessage {
    /// - Parameter signedBytes: the part of the manifest before the signatures and their
    ///   length.
    static func bytes(of signedBytes: RawSpan) -> [UInt8] {
        bytes(ManifestLayout.signatureLabel, signedBytes)
    }

    /// - Parameter receipt: the receipt without its signature.
    static func bytes(ofReceipt receipt: ArraySlice<UInt8>, nonce: ReceiptNonce) -> [UInt8] {
        let signedBytes = nonce.bytes + receipt
        return bytes(ReceiptLayout.signatureLabel, signedBytes.span.bytes)
    }

    private static func bytes(_ label: StaticString, _ signedBytes: RawSpan) -> [UInt8] {
        let digest = signedBytes.withUnsafeBytes { SHA256.withDigest(of: $0) { Array($0) } }
        return label.withUTF8Buffer { Array($0) } + digest
    }
}
