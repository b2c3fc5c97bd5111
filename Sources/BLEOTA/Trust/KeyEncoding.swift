import SwiftASN1

/// Keys as files have them: PEM around DER, which for Ed25519 is a few bytes that are always the
/// same and the 32 of the key (RFC 8410, sections 4, 7 and 10).
enum KeyEncoding {
    case publicKey
    case privateKey

    static let keyByteCount = 32

    private var discriminator: String {
        switch self {
        case .publicKey: "PUBLIC KEY"
        case .privateKey: "PRIVATE KEY"
        }
    }

    /// What stands before the key: SubjectPublicKeyInfo, and version 1 of PrivateKeyInfo.
    private var prefix: [UInt8] {
        switch self {
        case .publicKey: [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
        case .privateKey:
            [
                0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22,
                0x04, 0x20,
            ]
        }
    }

    func pem(of key: [UInt8]) -> String {
        precondition(key.count == Self.keyByteCount)
        return PEMDocument(type: discriminator, derBytes: prefix + key).pemString + "\n"
    }

    /// Which kind of key a text is, and its 32 bytes.
    static func decode(pem: String) throws(KeyError) -> (kind: KeyEncoding, bytes: [UInt8]) {
        guard let document = try? PEMDocument(pemString: pem) else {
            throw KeyError(
                .malformed,
                "This is not a key in PEM; make one with bleota key generate."
            )
        }
        for kind in [publicKey, privateKey] where kind.discriminator == document.discriminator {
            let bytes = document.derBytes.dropFirst(kind.prefix.count)
            guard document.derBytes.starts(with: kind.prefix), bytes.count == keyByteCount else {
                break
            }
            return (kind, Array(bytes))
        }
        throw KeyError(
            .malformed,
            "This is a PEM of something else than an Ed25519 key (\(document.discriminator)); make "
                + "one with bleota key generate."
        )
    }
}
