#if Signatures

import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire
import Crypto
import SystemPackage

/// A public key that verifies its owner's signatures.
public struct VerifyingKey: Hashable, Sendable {
    /// The kind of signatures that the owner makes.
    package let kind: SigningKind
    /// The encoded key: 32 bytes for Ed25519, as in RFC 8032; for P-256, the uncompressed point
    /// in 65 bytes: the byte 4, then X and Y.
    public let bytes: [UInt8]
    /// The identifier of the key in manifests.
    package let id: KeyID

    /// Reads a public key, or the public half of a private key, from a PEM file.
    ///
    /// - Throws: a ``KeyError`` if the file can't be read or does not hold a signing key.
    public init(contentsOf path: String) throws(KeyError) {
        self = try KeyFile.verifyingKey(at: FilePath(path))
    }

    /// Decodes a public key, or the public half of a private key, from PEM.
    ///
    /// - Throws: a ``KeyError`` if the text is not a signing key in PEM.
    public init(pem: String) throws(KeyError) {
        let (encoding, bytes) = try Self.decode(pem)
        switch encoding {
        case .verifying: try self.init(bytes: bytes, kind: .ed25519)
        case .verifyingP256: try self.init(bytes: bytes, kind: .p256)
        default: self = try SigningKey(pem: pem).verifyingKey
        }
    }

    /// Decodes a public key: 32 bytes for Ed25519, or 65 for P-256.
    ///
    /// - Throws: a ``KeyError`` if the bytes are not a public key.
    public init(bytes: [UInt8]) throws(KeyError) {
        let isLong = bytes.count == SignatureAlgorithm.p256.publicKeyByteCount
        try self.init(bytes: bytes, kind: isLong ? .p256 : .ed25519)
    }

    /// Decodes a public key from PEM and rejects a private key.
    init(publicPEM pem: String) throws(KeyError) {
        let (encoding, bytes) = try Self.decode(pem)
        switch encoding {
        case .verifying: try self.init(bytes: bytes, kind: .ed25519)
        case .verifyingP256: try self.init(bytes: bytes, kind: .p256)
        default:
            throw KeyError(
                .wrongKind,
                "This is a private signing key, which only the signer should have; use its public "
                    + "half."
            )
        }
    }

    private static func decode(
        _ pem: String
    ) throws(KeyError) -> (kind: KeyEncoding, bytes: [UInt8]) {
        try KeyEncoding.decode(pem: pem, as: .verifying, .verifyingP256, .signing, .signingP256)
    }

    /// - Throws: `malformed` if the bytes are not a key; for P-256, if the point is not on the
    ///   curve. An Ed25519 key of small order is rejected too, because anyone can forge
    ///   signatures that are valid under it. P-256 has no such keys: its group has prime order.
    init(bytes: [UInt8], kind: SigningKind) throws(KeyError) {
        guard kind != .ed25519 || !EdwardsPoint.isWeak(bytes) else {
            throw KeyError(
                .malformed,
                "This is a public key for which anyone can forge signatures; generate a new key."
            )
        }
        let isKey =
            switch kind {
            case .ed25519: (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)) != nil
            case .p256: (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
            }
        guard isKey else {
            throw KeyError(.malformed, "This is not a valid \(kind.name) public key.")
        }
        self.kind = kind
        self.bytes = bytes
        id = KeyID(hashing: bytes)
    }

    /// The key in PEM, which other tools can read, too.
    public var pem: String {
        let encoding: KeyEncoding = kind == .p256 ? .verifyingP256 : .verifying
        return encoding.pem(of: bytes)
    }

    /// The key in DER, as SubjectPublicKeyInfo.
    var der: [UInt8] {
        (kind == .p256 ? KeyEncoding.verifyingP256 : KeyEncoding.verifying).der(of: bytes)
    }

    /// Whether a signature names this key. The signature may still be invalid.
    func isNamed(by signature: ManifestSignature) -> Bool {
        signature.algorithm == kind.algorithm && signature.keyID == id
    }

    /// Whether the key's owner signed this message. Takes about 50 µs.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch kind {
        case .ed25519:
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
                preconditionFailure("the key was valid when it was made")
            }
            return key.isValidSignature(signature, for: message)
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: bytes) else {
                preconditionFailure("the key was valid when it was made")
            }
            guard let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
                return false
            }
            return key.isValidSignature(value, for: message)
        }
    }

    /// Whether the owner of this P-256 key signed the message with this hash.
    ///
    /// - Parameter signature: the signature in DER. Bytes of value 0 may follow it, because some
    ///   signers pad all signatures to one length.
    func isECDSASignature(_ signature: [UInt8], ofDigest hash: SHA256) -> Bool {
        guard kind == .p256, signature.count >= 2 else { return false }
        let byteCount = 2 + Int(signature[1])
        guard signature.count >= byteCount, signature[byteCount...].allSatisfy({ $0 == 0 }),
            let key = try? P256.Signing.PublicKey(x963Representation: bytes),
            let value = try? P256.Signing.ECDSASignature(
                derRepresentation: signature[..<byteCount]
            )
        else { return false }
        return key.isValidSignature(value, for: hash.finished)
    }
}

extension KeyID {
    init(hashing publicKey: [UInt8]) {
        self.init(rawValue: TransferTag(hashing: publicKey).rawValue)
    }

    /// The identifier as people see it: 16 hexadecimal digits, in the order of the bytes.
    package var hex: String { TransferTag(rawValue: rawValue).hex }
}

#endif
