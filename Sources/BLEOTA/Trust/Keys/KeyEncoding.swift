#if Signatures

import Crypto
import SwiftASN1

/// Keys as files have them: PEM around DER, which for each kind of key is a few bytes that are
/// always the same and those of the key (RFC 8410, sections 4, 7 and 10; RFC 5480 and RFC 5915).
enum KeyEncoding: CaseIterable {
    case verifying, signing, verifyingP256, signingP256, sealing, unsealing

    private var discriminator: String { isPrivate ? "PRIVATE KEY" : "PUBLIC KEY" }

    private var isPrivate: Bool {
        switch self {
        case .verifying, .verifyingP256, .sealing: false
        case .signing, .signingP256, .unsealing: true
        }
    }

    /// The length of the key itself: a number, or a point as `04 X Y`.
    private var keyByteCount: Int { self == .verifyingP256 ? 65 : 32 }

    /// 1.3.101.112 for Ed25519, 1.3.101.110 for X25519; for P-256 1.2.840.10045.2.1, which says
    /// that it is a curve, and 1.2.840.10045.3.1.7, which says which.
    private var objectIdentifiers: [UInt8] {
        switch self {
        case .verifying, .signing: [0x06, 0x03, 0x2B, 0x65, 0x70]
        case .sealing, .unsealing: [0x06, 0x03, 0x2B, 0x65, 0x6E]
        case .verifyingP256, .signingP256:
            [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
                + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        }
    }

    /// What stands before the key: SubjectPublicKeyInfo, or version 1 of PrivateKeyInfo; of P-256
    /// that with the public half in it, as OpenSSL writes it.
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

    /// What stands between a private key of P-256 and its public half.
    private static let publicHalfPrefix: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

    /// What the key is, in a sentence.
    private var description: String {
        switch self {
        case .verifying, .verifyingP256: "the public half of a signing key"
        case .signing, .signingP256: "a private signing key"
        case .sealing: "the public half of a sealing key"
        case .unsealing: "a private sealing key"
        }
    }

    /// - Parameter publicHalf: of a private key of P-256, and of no other.
    func pem(of key: [UInt8], publicHalf: [UInt8] = []) -> String {
        precondition(key.count == keyByteCount)
        precondition(publicHalf.count == (self == .signingP256 ? 65 : 0))
        let end = publicHalf.isEmpty ? [] : Self.publicHalfPrefix + publicHalf
        return PEMDocument(type: discriminator, derBytes: prefix + key + end).pemString + "\n"
    }

    /// Which of these kinds of key a text is, and its bytes: 32, or 65 of a public key of P-256.
    ///
    /// - Parameter kinds: those of use to the caller; the first is what it wants most.
    static func decode(
        pem: String,
        as kinds: KeyEncoding...
    ) throws(KeyError) -> (kind: KeyEncoding, bytes: [UInt8]) {
        guard let document = try? PEMDocument(pemString: pem) else {
            throw KeyError(
                .malformed,
                "This is not a key in PEM; make one with bleota key generate."
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
                "This is a PEM of something else than a key of Ed25519, P-256 or X25519 "
                    + "(\(document.discriminator)); make one with bleota key generate."
            )
        }
        guard kinds.contains(found) else {
            let isHalf = !found.isPrivate && kinds.contains { $0.isOtherHalf(of: found) }
            throw KeyError(
                isHalf ? .notPrivate : .wrongKind,
                "This is \(found.description), and it takes \(kinds[0].description); name that "
                    + "file."
            )
        }
        return (found, key)
    }

    /// The bytes of the key, if the document is one of this kind.
    private func key(in document: PEMDocument) -> [UInt8]? {
        if self == .signingP256 { return Self.privateP256(in: document) }
        guard document.discriminator == discriminator, document.derBytes.starts(with: prefix),
            document.derBytes.count == prefix.count + keyByteCount
        else { return nil }
        return Array(document.derBytes.suffix(keyByteCount))
    }

    /// Others write it in more ways than one: with or without the public half or the name of the
    /// curve, and as RFC 5915 has it alone.
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
