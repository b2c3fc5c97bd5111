#if Signatures

import Crypto
import SystemPackage

/// A private key: who has it can sign what devices will run.
///
/// ```swift
/// let signed = try prepared.signed(by: [KeyFile.signingKey(at: "release.pem")])
/// ```
public struct SigningKey: Sendable {
    private enum Secret: Sendable {
        case ed25519(Curve25519.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
    }

    /// Its public half.
    public let verifyingKey: VerifyingKey
    private let secret: Secret

    /// A new key of Ed25519, from the system's random numbers. The right one for all devices but
    /// those whose library or hardware checks only ECDSA: see ``generateP256()``.
    public static func generate() -> SigningKey { generate(.ed25519) }

    /// A new key of P-256, from the system's random numbers.
    public static func generateP256() -> SigningKey { generate(.p256) }

    /// A new key, from the system's random numbers.
    package static func generate(_ kind: SigningKind) -> SigningKey {
        switch kind {
        case .ed25519: SigningKey(.ed25519(Curve25519.Signing.PrivateKey()))
        case .p256: SigningKey(.p256(P256.Signing.PrivateKey(compactRepresentable: false)))
        }
    }

    /// Reads a private key from its PEM in a file that nobody but its owner can read.
    ///
    /// - Throws: a ``KeyError``, with the code `exposed` where others may read or write the file.
    public init(contentsOf path: String) throws(KeyError) {
        self = try KeyFile.signingKey(at: FilePath(path))
    }

    /// Takes a private key from its PEM.
    public init(pem: String) throws(KeyError) {
        let (encoding, bytes) = try KeyEncoding.decode(pem: pem, as: .signing, .signingP256)
        if encoding == .signingP256 {
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
                throw KeyError(.malformed, "This is not a private key of P-256.")
            }
            self.init(.p256(key))
        } else {
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
                throw KeyError(.malformed, "This is not a private key of Ed25519.")
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
        guard let half else { preconditionFailure("the public half of a key is one") }
        verifyingKey = half
        self.secret = secret
    }

    /// The key as a file has it. Whoever reads it can sign.
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

    /// Of Ed25519 always the same, of P-256 another each time.
    func signature(of message: [UInt8]) -> [UInt8] {
        let signature =
            switch secret {
            case .ed25519(let key): try? Array(key.signature(for: message))
            case .p256(let key): try? Array(key.signature(for: message).rawRepresentation)
            }
        guard let signature else { preconditionFailure("a key signs anything") }
        return signature
    }
}

#endif
