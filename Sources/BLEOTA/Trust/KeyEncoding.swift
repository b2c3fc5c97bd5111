import SwiftASN1

/// Keys as files have them: PEM around DER, which for each kind of key is a few bytes that are
/// always the same and the 32 of the key (RFC 8410, sections 4, 7 and 10).
enum KeyEncoding: CaseIterable {
    case verifying, signing, sealing, unsealing

    static let keyByteCount = 32

    private var discriminator: String {
        switch self {
        case .verifying, .sealing: "PUBLIC KEY"
        case .signing, .unsealing: "PRIVATE KEY"
        }
    }

    /// 1.3.101.112 for Ed25519, 1.3.101.110 for X25519.
    private var objectIdentifier: [UInt8] {
        switch self {
        case .verifying, .signing: [0x06, 0x03, 0x2B, 0x65, 0x70]
        case .sealing, .unsealing: [0x06, 0x03, 0x2B, 0x65, 0x6E]
        }
    }

    /// What stands before the key: SubjectPublicKeyInfo, or version 1 of PrivateKeyInfo.
    private var prefix: [UInt8] {
        switch self {
        case .verifying, .sealing:
            [0x30, 0x2A, 0x30, 0x05] + objectIdentifier + [0x03, 0x21, 0x00]
        case .signing, .unsealing:
            [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05] + objectIdentifier
                + [0x04, 0x22, 0x04, 0x20]
        }
    }

    /// What the key is, in a sentence.
    private var description: String {
        switch self {
        case .verifying: "the public half of a signing key"
        case .signing: "a private signing key"
        case .sealing: "the public half of a sealing key"
        case .unsealing: "a private sealing key"
        }
    }

    func pem(of key: [UInt8]) -> String {
        precondition(key.count == Self.keyByteCount)
        return PEMDocument(type: discriminator, derBytes: prefix + key).pemString + "\n"
    }

    /// Which of these kinds of key a text is, and its 32 bytes.
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
        let found = allCases.first {
            $0.discriminator == document.discriminator
                && document.derBytes.starts(with: $0.prefix)
                && document.derBytes.count == $0.prefix.count + keyByteCount
        }
        guard let found else {
            throw KeyError(
                .malformed,
                "This is a PEM of something else than a key of Ed25519 or X25519 "
                    + "(\(document.discriminator)); make one with bleota key generate."
            )
        }
        guard kinds.contains(found) else {
            let isHalf =
                kinds.contains(.signing) && found == .verifying
                || kinds.contains(.unsealing) && found == .sealing
            throw KeyError(
                isHalf ? .notPrivate : .wrongKind,
                "This is \(found.description), and it takes \(kinds[0].description); name that "
                    + "file."
            )
        }
        return (found, Array(document.derBytes.suffix(keyByteCount)))
    }
}
