#if Signatures

import Crypto
import SystemPackage

/// A private signing key. Whoever has it can sign images that devices will run.
///
/// ```swift
/// let signed = try firmware.signed(by: [SigningKey(contentsOf: "release.pem")])
/// ```
public struct SigningKey: Sendable {
    private enum Secret: Sendable {
        case ed25519(Curve25519.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    /// The public half of the key.
    public let verifyingKey: VerifyingKey
    private let secret: Secret

    /// Generates an Ed25519 key with the system's random number generator. Suitable for all
    /// devices except those whose library or hardware verifies only ECDSA; for these, use
    /// ``generateP256()``.
    public static func generate() -> SigningKey { generate(.ed25519) }

    /// Generates a P-256 key with the system's random number generator.
    public static func generateP256() -> SigningKey { generate(.p256) }

    /// Generates a key of this kind with the system's random number generator.
    package static func generate(_ kind: SigningKind) -> SigningKey {
        switch kind {
        case .ed25519: SigningKey(.ed25519(Curve25519.Signing.PrivateKey()))
        case .p256: SigningKey(.p256(P256.Signing.PrivateKey(compactRepresentable: false)))
        }
    }

    /// Reads a private key from a PEM file that only its owner can access.
    ///
    /// - Throws: a ``KeyError``; its code is `exposed` if other users may read or write the
    ///   file.
    public init(contentsOf path: String) throws(KeyError) {
        self = try KeyFile.signingKey(at: FilePath(path))
    }

    /// Decodes a private key from PEM.
    ///
    /// - Throws: a ``KeyError`` if the text is not a private signing key in PEM.
    public init(pem: String) throws(KeyError) {
        let (encoding, bytes) = try KeyEncoding.decode(pem: pem, as: .signing, .signingP256)
        if encoding == .signingP256 {
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
                throw KeyError(.malformed, "This is not a valid P-256 private key.")
            }
            self.init(.p256(key))
        } else {
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
                throw KeyError(.malformed, "This is not a valid Ed25519 private key.")
            }
            self.init(.ed25519(key))
        }
    }

    private init(_ secret: Secret) {
        let half =
            switch secret {
            case .ed25519(let key):
                try? VerifyingKey(bytes: Array(key.publicKey.rawRepresentation), kind: .ed25519)
            case .p256(let key):
                try? VerifyingKey(bytes: Array(key.publicKey.x963Representation), kind: .p256)
            }
        guard let half else { preconditionFailure("a private key has a valid public half") }
        verifyingKey = half
        self.secret = secret
    }

    /// The private key in PEM. Whoever reads it can sign images.
    public var pem: String {
        switch secret {
        case .ed25519(let key): KeyEncoding.signing.pem(of: Array(key.rawRepresentation))
        case .p256(let key):
            KeyEncoding.signingP256.pem(
                of: Array(key.rawRepresentation),
                publicHalf: verifyingKey.bytes
            )
        }
    }

    /// Signs a message. An Ed25519 key always gives the same signature for the same message; a
    /// P-256 key gives a different one each time.
    func signature(of message: [UInt8]) -> [UInt8] {
        let signature =
            switch secret {
            case .ed25519(let key): try? Array(key.signature(for: message))
            case .p256(let key): try? Array(key.signature(for: message).rawRepresentation)
            }
        guard let signature else { preconditionFailure("a key can sign any message") }
        return signature
    }
}

#endif
