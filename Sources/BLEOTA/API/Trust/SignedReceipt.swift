import BLEOTAManifest
import BLEOTAWire

/// A device's signed statement about the image that it runs (spec/bleota.md, section 7.2).
///
/// A receipt counts only if it is valid for the key that you know to be the device's, and for the
/// nonce that you picked:
///
/// ```swift
/// let nonce = ReceiptNonce.random()
/// let receipt = try await target.receipt(nonce: nonce)
/// if let receipt, receipt.isValid(for: key, nonce: nonce), receipt.isConfirmed(sha256) { … }
/// ```
public struct SignedReceipt: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the receipt, which can be kept and judged elsewhere.
    public let bytes: [UInt8]
    /// The image that the device says it runs.
    public let running: RunningImage
    /// The SHA-256 of the running image, 32 bytes; all zero if the device does not know its image.
    public let sha256: [UInt8]
    /// The version of the running image; empty if the device does not know it.
    public let version: String
    /// The lowest security counter that the device accepts.
    public let counter: UInt32
    /// The public key that the device states: 32 bytes for Ed25519, 65 for P-256. It proves nothing
    /// by itself.
    public let publicKey: [UInt8]

    private let algorithm: SignatureAlgorithm

    //= PROOF-4: A sender MUST pick the nonce at random for each receipt, and MUST NOT count a
    //= receipt unless three things hold: the receipt has the form of the table, with a known
    //= algorithm and without further bytes; the public key in it is one that the sender knows to be
    //= the device's; and the signature is valid for this key and this nonce.
    /// Reads a receipt. `nil` if the bytes are not a receipt, or if its algorithm is unknown. A
    /// receipt that can be read may still be forged.
    public init?(bytes: [UInt8]) {
        typealias Layout = ReceiptLayout
        guard let byteCount = Self.byteCount(beginning: bytes), bytes.count == byteCount,
            bytes[Layout.reserved] == 0, let state = RunningState(rawValue: bytes[Layout.state])
        else { return nil }
        let keyStart = Layout.version + Int(bytes[Layout.versionByteCount])
        let signatureStart = byteCount - Layout.signatureByteCount
        guard
            let version = String(validating: bytes[Layout.version..<keyStart], as: UTF8.self)
        else { return nil }
        self.bytes = bytes
        self.version = version
        algorithm = SignatureAlgorithm(rawValue: bytes[Layout.algorithm])
        counter = bytes.span.bytes.uint32(at: Layout.counter)
        sha256 = Array(bytes[Layout.sha256..<Layout.version])
        publicKey = Array(bytes[keyStart..<signatureStart])
        running = RunningImage(state, sha256: sha256)
    }

    /// Whether the owner of this key signed the receipt for this nonce. Takes about 50 µs.
    ///
    /// - Parameters:
    ///   - key: the public key that you know to be the device's.
    ///   - nonce: the nonce that you picked for this question.
    public func isValid(for key: VerifyingKey, nonce: ReceiptNonce) -> Bool {
        guard algorithm == key.kind.algorithm, publicKey == key.bytes else { return false }
        let signatureStart = bytes.count - ReceiptLayout.signatureByteCount
        let message = SignedMessage.bytes(ofReceipt: bytes[..<signatureStart], nonce: nonce)
        return key.isSignature(Array(bytes[signatureStart...]), of: message)
    }

    /// Whether the device says that it runs this image and keeps it.
    ///
    /// - Parameter sha256: the SHA-256 of the image, 32 bytes.
    public func isConfirmed(_ sha256: [UInt8]) -> Bool {
        running.state == .confirmed && self.sha256 == sha256
    }

    /// One short line, such as `confirmed 2.1, counter 7, SHA-256 3f0a…`.
    public var description: String {
        let version = version.isEmpty ? "" : " \(version)"
        return "\(running)\(version), counter \(counter), SHA-256 \(HexText.text(sha256))"
    }
}
