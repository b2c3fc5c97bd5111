#if Signatures

import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire
import Crypto
import SystemPackage

/// A public key for which images are sealed. Only the owner of the private key can read such
/// images.
///
/// ```swift
/// var options = FirmwareOptions()
/// options.recipients = [try SealingKey(contentsOf: "lamps.pem.pub")]
/// ```
public struct SealingKey: Hashable, Sendable {
    /// The X25519 public key as in RFC 7748, 32 bytes.
    public let bytes: [UInt8]
    /// The identifier of the key in manifests.
    package let id: KeyID

    /// Reads a public key, or the public half of a private key, from a PEM file.
    ///
    /// - Throws: a ``KeyError`` if the file can't be read or does not hold a sealing key.
    public init(contentsOf path: String) throws(KeyError) {
        self = try KeyFile.sealingKey(at: FilePath(path))
    }

    /// Decodes a public key, or the public half of a private key, from PEM.
    ///
    /// - Throws: a ``KeyError`` if the text is not a sealing key in PEM.
    public init(pem: String) throws(KeyError) {
        let (kind, bytes) = try KeyEncoding.decode(pem: pem, as: .sealing, .unsealing)
        if kind == .sealing {
            self.init(bytes: bytes)
        } else {
            self = try UnsealingKey(pem: pem).sealingKey
        }
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
        id = KeyID(hashing: bytes)
    }

    /// The key in PEM, which other tools can read, too.
    public var pem: String { KeyEncoding.sealing.pem(of: bytes) }

    /// Seals a content key for the owner of this key. The result is 32 bytes and a tag of 16
    /// bytes.
    ///
    /// - Throws: `malformed` if this key gives an all-zero shared secret with every key.
    func seal(
        _ content: SymmetricKey,
        with ephemeral: Curve25519.KeyAgreement.PrivateKey
    ) throws(KeyError) -> [UInt8] {
        let made = Array(ephemeral.publicKey.rawRepresentation)
        guard let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes),
            let secret = try? ephemeral.sharedSecretFromKeyAgreement(with: key),
            let wrapping = SealingKey.wrapping(secret, made: made, recipient: bytes)
        else {
            throw KeyError(
                .malformed,
                "The sealing key \(id.hex) is not a valid X25519 key; ask its owner for a new one."
            )
        }
        let content = content.withUnsafeBytes { Array($0) }
        guard let box = try? ChaChaPoly.seal(content, using: wrapping, nonce: Self.nonce) else {
            preconditionFailure("ChaCha20-Poly1305 seals 32 bytes")
        }
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// A fixed nonce is safe here, because each derived key seals only one content key.
    static var nonce: ChaChaPoly.Nonce {
        guard let nonce = try? ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12)) else {
            preconditionFailure("a nonce has 12 bytes")
        }
        return nonce
    }

    /// The key that seals a content key; `nil` if the shared secret is all-zero. An invalid public
    /// key results in an all-zero secret, which everyone knows (RFC 7748, section 6.1).
    static func wrapping(
        _ secret: SharedSecret,
        made: [UInt8],
        recipient: [UInt8]
    ) -> SymmetricKey? {
        guard secret.withUnsafeBytes({ $0.contains { $0 != 0 } }) else { return nil }
        return secret.hkdfDerivedSymmetricKey(
            using: Crypto.SHA256.self,
            salt: made + recipient,
            sharedInfo: Array("bleota seal key1".utf8),
            outputByteCount: 32
        )
    }
}

#endif
