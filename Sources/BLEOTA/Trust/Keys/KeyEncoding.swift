#if Signatures

import Crypto
import SwiftASN1

/// The PEM encoding of keys in files. The DER inside it consists, for each kind of key, of a
/// constant prefix and the bytes of the key (RFC 8410, sections 4, 7 and 10; RFC 5480 and RFC
/// 5915).
enum KeyEncoding: CaseIterable {
    case verifying, signing, verifyingP256, signingP256, sealing, unsealing

    private var discriminator: String { isPrivate ? "PRIVATE KEY" : "PUBLIC KEY" }

    private var isPrivate: Bool {
        switch self {
        case .verifying, .verifyingP256, .sealing: false
        case .signing, .signingP256, .unsealing: true
        }
    }

    /// The length of the key itself: a 32-byte number or, for a P-256 public key, the point `04
    /// X Y`.
    private var keyByteCount: Int { self == .verifyingP256 ? 65 : 32 }

    /// The object identifiers: 1.3.101.112 for Ed25519 and 1.3.101.110 for X25519. P-256 has
    /// two, 1.2.840.10045.2.1 for elliptic-curve keys and 1.2.840.10045.3.1.7 for the curve.
    private var objectIdentifiers: [UInt8] {
        switch self {
        case .verifying, .signing: [0x06, 0x03, 0x2B, 0x65, 0x70]
        case .sealing, .unsealing: [0x06, 0x03, 0x2B, 0x65, 0x6E]
        case .verifyingP256, .signingP256:
            [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
                + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        }
    }

    /// The DER before the key, as in SubjectPublicKeyInfo or PrivateKeyInfo version 1. For a
    /// P-256 private key, the lengths in this prefix include the public half, as in OpenSSL's
    /// output.
    private var prefix: [UInt8] {
        switch self {
        case .verifying, .sealing:
            [0x30, 0x2A, 0x30, 0x05] + objectIdentifiers + [0x03, 0x21, 0x00]
        case .verifyingP256:
            [0x30, 0x59, 0x30, 0x13] + objectIdentifiers + [0x03, 0x42, 0x00]
        case .signing, .unsealing:
            [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05] + objectIdentifiers
                + [0x04, 0x22, 0x04, 0x20]
        case .signingP256:
            [0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13] + objectIdentifiers
                + [0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20]
        }
    }

    /// The DER between a P-256 private key and its public half.
    private static let publicHalfPrefix: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

    /// A description of the key for use in a sentence.
    private var description: String {
        switch self {
        case .verifying, .verifyingP256: "the public half of a signing key"
        case .signing, .signingP256: "a private signing key"
        case .sealing: "the public half of a sealing key"
        case .unsealing: "a private sealing key"
        }
    }

    /// - Parameter publicHalf: the public half of a P-256 private key; empty for any other
    ///   kind.
    func pem(of key: [UInt8], publicHalf: [UInt8] = []) -> String {
        precondition(key.count == keyByteCount)
        precondition(publicHalf.count == (self == .signingP256 ? 65 : 0))
        let end = publicHalf.isEmpty ? [] : Self.publicHalfPrefix + publicHalf
        return PEMDocument(type: discriminator, derBytes: prefix + key + end).pemString + "\n"
    }

    /// The DER of a public key, without the PEM around it.
    func der(of key: [UInt8]) -> [UInt8] {
        precondition(!isPrivate && key.count == keyByteCount)
        return prefix + key
    }

    /// Decodes a key from PEM and returns its kind and its bytes. A key has 32 bytes, except
    /// that a P-256 public key has 65.
    ///
    /// - Parameter kinds: the kinds that the caller accepts, the preferred one first.
    static func decode(
        pem: String,
        as kinds: KeyEncoding...
    ) throws(KeyError) -> (kind: KeyEncoding, bytes: [UInt8]) {
        guard let document = try? PEMDocument(pemString: pem) else {
            throw KeyError(
                .malformed,
                "This is not a PEM key; choose or generate one."
            )
        }
        var key: [UInt8]?
        let found = allCases.first {
            key = $0.key(in: document)
            return key != nil
        }
        guard let found, let key else {
            throw KeyError(
                .malformed,
                "This is PEM, but not an Ed25519, P-256 or X25519 key "
                    + "(\(document.discriminator)); choose or generate one."
            )
        }
        guard kinds.contains(found) else {
            let isHalf = !found.isPrivate && kinds.contains { $0.isOtherHalf(of: found) }
            throw KeyError(
                isHalf ? .notPrivate : .wrongKind,
                "This is \(found.description), but \(kinds[0].description) is needed; choose the "
                    + "file that contains it."
            )
        }
        return (found, key)
    }

    /// The bytes of the key, if the document holds a key of this kind.
    private func key(in document: PEMDocument) -> [UInt8]? {
        if self == .signingP256 { return Self.privateP256(in: document) }
        guard document.discriminator == discriminator, document.derBytes.starts(with: prefix),
            document.derBytes.count == prefix.count + keyByteCount
        else { return nil }
        return Array(document.derBytes.suffix(keyByteCount))
    }

    /// The P-256 private key in a document, in any form that other tools write: with or without
    /// the public half or the name of the curve, and as a bare RFC 5915 structure.
    private static func privateP256(in document: PEMDocument) -> [UInt8]? {
        guard ["PRIVATE KEY", "EC PRIVATE KEY"].contains(document.discriminator),
            let key = try? P256.Signing.PrivateKey(derRepresentation: document.derBytes)
        else { return nil }
        return Array(key.rawRepresentation)
    }

    private func isOtherHalf(of other: KeyEncoding) -> Bool {
        objectIdentifiers == other.objectIdentifiers && self != other
    }
}

#endif
