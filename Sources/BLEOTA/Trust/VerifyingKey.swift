public import BLEOTACore
import Crypto

/// A public key: who has it can tell what its owner signed.
///
/// ```swift
/// let key = try VerifyingKey(pem: text)
/// policy.trustedKeys = [key]
/// ```
public struct VerifyingKey: Hashable, Sendable {
    /// The 32 bytes of RFC 8032.
    public let bytes: [UInt8]
    /// How manifests name it.
    public let id: KeyID

    /// Takes a public key, or the public half of a private one, from its PEM.
    public init(pem: String) throws(KeyError) {
        let (kind, bytes) = try KeyEncoding.decode(pem: pem, as: .verifying, .signing)
        if kind == .verifying {
            try self.init(bytes: bytes)
        } else {
            self = try SigningKey(pem: pem).verifyingKey
        }
    }

    /// Takes a public key alone.
    init(publicPEM pem: String) throws(KeyError) {
        let (kind, bytes) = try KeyEncoding.decode(pem: pem, as: .verifying, .signing)
        guard kind == .verifying else {
            throw KeyError(
                .wrongKind,
                "This is a private signing key, which nobody but the signer should have; name the "
                    + "file of its public half, which bleota key generate wrote beside it (.pub)."
            )
        }
        try self.init(bytes: bytes)
    }

    /// - Throws: `malformed` for bytes that are no key, and for a key of small order: anybody can
    ///   make signatures that such a key takes as right.
    init(bytes: [UInt8]) throws(KeyError) {
        guard !EdwardsPoint.isWeak(bytes) else {
            throw KeyError(
                .malformed,
                "This public key takes signatures that anybody can make; make another with bleota "
                    + "key generate."
            )
        }
        guard (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)) != nil else {
            throw KeyError(.malformed, "This is not a public key of Ed25519.")
        }
        self.bytes = bytes
        id = KeyID(hashing: bytes)
    }

    /// The key as a file has it, for this tool and for others.
    public var pem: String { KeyEncoding.verifying.pem(of: bytes) }

    /// Whether the key's owner signed this message. Takes some 50 µs.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
            preconditionFailure("it was one before")
        }
        return key.isValidSignature(signature, for: message)
    }
}

extension KeyID {
    init(hashing publicKey: [UInt8]) {
        self.init(rawValue: TransferTag(hashing: publicKey).rawValue)
    }

    /// The 16 digits by which people name the key, in the order of the bytes.
    public var hex: String { TransferTag(rawValue: rawValue).hex }
}
