#if Signatures

import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Crypto
import SystemPackage

/// A private key for which images are sealed. Whoever has it can read those images.
///
/// ```swift
/// var policy = AcceptancePolicy()
/// policy.unsealingKeys = [try UnsealingKey(contentsOf: "/etc/lamp/sealing.pem")]
/// ```
public struct UnsealingKey: Sendable {
    /// The public half of the key.
    public let sealingKey: SealingKey
    private let bytes: [UInt8]

    /// Generates a key with the system's random number generator.
    public static func generate() -> UnsealingKey {
        let key = Curve25519.KeyAgreement.PrivateKey()
        return UnsealingKey(key, Array(key.rawRepresentation))
    }

    /// Reads a private key from a PEM file that only its owner can access.
    ///
    /// - Throws: a ``KeyError``; its code is `exposed` if other users may read or write the
    ///   file.
    public init(contentsOf path: String) throws(KeyError) {
        self = try KeyFile.unsealingKey(at: FilePath(path))
    }

    /// Decodes a private key from PEM.
    ///
    /// - Throws: a ``KeyError`` if the text is not a private sealing key in PEM.
    public init(pem: String) throws(KeyError) {
        let (_, bytes) = try KeyEncoding.decode(pem: pem, as: .unsealing)
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
            throw KeyError(.malformed, "This is not a valid X25519 private key.")
        }
        self.init(key, bytes)
    }

    private init(_ key: Curve25519.KeyAgreement.PrivateKey, _ bytes: [UInt8]) {
        sealingKey = SealingKey(bytes: Array(key.publicKey.rawRepresentation))
        self.bytes = bytes
    }

    /// The private key in PEM. Whoever reads it can read all images sealed for the key.
    public var pem: String { KeyEncoding.unsealing.pem(of: bytes) }

    /// Opens a content key that was sealed for this key; `nil` if it was sealed for another
    /// key.
    ///
    /// - Parameters:
    ///   - sealed: the sealed content key, 32 bytes and a tag of 16 bytes.
    ///   - made: the ephemeral public key of the image.
    func open(_ sealed: [UInt8], madeWith made: [UInt8]) -> SymmetricKey? {
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes),
            let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: made),
            let secret = try? key.sharedSecretFromKeyAgreement(with: other),
            let wrapping = SealingKey.wrapping(secret, made: made, recipient: sealingKey.bytes),
            let box = try? ChaChaPoly.SealedBox(
                nonce: SealingKey.nonce,
                ciphertext: sealed.dropLast(ManifestLayout.sealTagByteCount),
                tag: sealed.suffix(ManifestLayout.sealTagByteCount)
            )
        else { return nil }
        return (try? ChaChaPoly.open(box, using: wrapping)).map { SymmetricKey(data: $0) }
    }
}

#endif
