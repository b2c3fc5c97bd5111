#if Signatures

import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire
import Crypto
import SystemPackage

/// A public key: who has it can tell what its owner signed.
///
/// ```swift
/// let key = try VerifyingKey(pem: text)
/// policy.trustedKeys = [key]
/// ```
public struct VerifyingKey: Hashable, Sendable {
    /// How its owner signs.
    package let kind: SigningKind
    /// Of Ed25519 the 32 bytes of RFC 8032, of P-256 the point as 65 bytes: 4, X and Y.
    public let bytes: [UInt8]
    /// How manifests name it.
    package let id: KeyID

    /// Reads a public key, or the public half of a private one, from its PEM in a file.
    ///
    /// - Throws: a ``KeyError``.
    public init(contentsOf path: String) throws(KeyError) {
        self = try KeyFile.verifyingKey(at: FilePath(path))
    }

    /// Takes a public key, or the public half of a private one, from its PEM.
    public init(pem: String) throws(KeyError) {
        let (encoding, bytes) = try Self.decode(pem)
        switch encoding {
        case .verifying: try self.init(bytes: bytes, kind: .ed25519)
        case .verifyingP256: try self.init(bytes: bytes, kind: .p256)
        default: self = try SigningKey(pem: pem).verifyingKey
        }
    }

    /// Takes a public key alone.
    init(publicPEM pem: String) throws(KeyError) {
        let (encoding, bytes) = try Self.decode(pem)
        switch encoding {
        case .verifying: try self.init(bytes: bytes, kind: .ed25519)
        case .verifyingP256: try self.init(bytes: bytes, kind: .p256)
        default:
            throw KeyError(
                .wrongKind,
                "This is a private signing key, which nobody but the signer should have; name the "
                    + "file of its public half, which bleota key generate wrote beside it (.pub)."
            )
        }
    }

    private static func decode(
        _ pem: String
    ) throws(KeyError) -> (kind: KeyEncoding, bytes: [UInt8]) {
        try KeyEncoding.decode(pem: pem, as: .verifying, .verifyingP256, .signing, .signingP256)
    }

    /// - Throws: `malformed` for bytes that are no key, which of P-256 are those of a point that is
    ///   not on the curve, and for a key of small order: anybody can make signatures that such a
    ///   key takes as right. (P-256 has none: the number of its points is prime.)
    init(bytes: [UInt8], kind: SigningKind) throws(KeyError) {
        guard kind != .ed25519 || !EdwardsPoint.isWeak(bytes) else {
            throw KeyError(
                .malformed,
                "This public key takes signatures that anybody can make; make another with bleota "
                    + "key generate."
            )
        }
        let isKey =
            switch kind {
            case .ed25519: (try? Curve25519.Signing.PublicKey(rawRepresentation: bytes)) != nil
            case .p256: (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
            }
        guard isKey else {
            throw KeyError(.malformed, "This is not a public key of \(kind.name).")
        }
        self.kind = kind
        self.bytes = bytes
        id = KeyID(hashing: bytes)
    }

    /// The key as a file has it, for this tool and for others.
    public var pem: String {
        let encoding: KeyEncoding = kind == .p256 ? .verifyingP256 : .verifying
        return encoding.pem(of: bytes)
    }

    /// Whether a signature names this key. Not whether it is right.
    func isNamed(by signature: ManifestSignature) -> Bool {
        signature.algorithm == kind.algorithm && signature.keyID == id
    }

    /// Whether the key's owner signed this message. Takes some 50 µs.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch kind {
        case .ed25519:
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
                preconditionFailure("it was one before")
            }
            return key.isValidSignature(signature, for: message)
        case .p256:
            guard let key = try? P256.Signing.PublicKey(x963Representation: bytes) else {
                preconditionFailure("it was one before")
            }
            guard let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
                return false
            }
            return key.isValidSignature(value, for: message)
        }
    }
}

extension KeyID {
    init(hashing publicKey: [UInt8]) {
        self.init(rawValue: TransferTag(hashing: publicKey).rawValue)
    }

    /// The 16 digits by which people name the key, in the order of the bytes.
    package var hex: String { TransferTag(rawValue: rawValue).hex }
}

#endif
