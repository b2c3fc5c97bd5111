#if Signatures

import BLEOTACore
import BLEOTAManifest
import BLEOTAWire
import Crypto
import SystemPackage

/// A private key for which images are sealed: who has it can read them.
///
/// ```swift
/// var policy = AcceptancePolicy()
/// policy.unsealingKeys = [try KeyFile.unsealingKey(at: "/etc/lamp/sealing.pem")]
/// ```
public struct UnsealingKey: Sendable {
    /// Its public half.
    public let sealingKey: SealingKey
    private let bytes: [UInt8]

    /// A new key, from the system's random numbers.
    public static func generate() -> UnsealingKey {
        let key = Curve25519.KeyAgreement.PrivateKey()
        return UnsealingKey(key, Array(key.rawRepresentation))
    }

    /// Reads a private key from its PEM in a file that nobody but its owner can read.
    ///
    /// - Throws: a ``KeyError``, with the code `exposed` where others may read or write the file.
    public init(contentsOf path: String) throws(KeyError) {
        self = try KeyFile.unsealingKey(at: FilePath(path))
    }

    /// Takes a private key from its PEM.
    public init(pem: String) throws(KeyError) {
        let (_, bytes) = try KeyEncoding.decode(pem: pem, as: .unsealing)
        guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
            throw KeyError(.malformed, "This is not a private key of X25519.")
        }
        self.init(key, bytes)
    }

    private init(_ key: Curve25519.KeyAgreement.PrivateKey, _ bytes: [UInt8]) {
        sealingKey = SealingKey(bytes: Array(key.publicKey.rawRepresentation))
        self.bytes = bytes
    }

    /// The key as a file has it. Whoever reads it can read what is sealed for it.
    public var pem: String { KeyEncoding.unsealing.pem(of: bytes) }

    /// Opens a content key that was sealed for this key; `nil` if it was not.
    ///
    /// - Parameters:
    ///   - sealed: 32 bytes and a tag of 16.
    ///   - made: the public key that was made for the image.
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
