import Glibc

/// The kind of a key. A PEM file names it, whether the file holds the key or its certificate.
///
/// OpenSSL compares a key with a certificate only if both are of one kind. Otherwise it keeps both,
/// and shows no certificate to the server, which then hangs up.
enum KeyKind: CaseIterable {
    case rsa, ellipticCurve, edwards25519

    /// A chain of ten certificates has less.
    private static let byteCountMax = 1 << 16

    /// The kind in the first certificate or private key of a file; `nil` if that isn't known.
    init?(inFile path: String) {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax)
        let count = fread(&bytes, 1, bytes.count, file)
        self.init(String(decoding: bytes[..<count], as: UTF8.self))
    }

    init?(_ text: String) {
        let lines = text.split(whereSeparator: \.isNewline)
        // A key may have a block with the parameters of its curve before it.
        let start = lines.firstIndex { line in
            line.hasPrefix("-----BEGIN ")
                && (line.contains("CERTIFICATE-") || line.contains("PRIVATE KEY-"))
        }
        guard let start else { return nil }
        switch lines[start] {
        case "-----BEGIN RSA PRIVATE KEY-----": self = .rsa
        case "-----BEGIN EC PRIVATE KEY-----": self = .ellipticCurve
        default:
            let der = Self.decoded(lines[(start + 1)...].prefix { !$0.hasPrefix("-----END") })
            let kind = Self.allCases.first { kind in
                der.indices.contains { der[$0...].starts(with: kind.identifier) }
            }
            guard let kind else { return nil }
            self = kind
        }
    }

    /// The object identifier that names the kind of a public or private key, in DER.
    private var identifier: [UInt8] {
        switch self {
        case .rsa: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        case .ellipticCurve: [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        // Signatures have the same identifier, so the others are looked for first.
        case .edwards25519: [0x06, 0x03, 0x2B, 0x65, 0x70]
        }
    }

    /// Decodes lines of Base64.
    private static func decoded(_ lines: some Sequence<Substring>) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bytes: [UInt8] = []
        var (bits, bitCount) = (0 as UInt32, 0)
        for letter in lines.joined().utf8 {
            guard let value = letters.firstIndex(of: letter) else { continue }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        return bytes
    }
}
