import BLEOTA
import BLEOTAManifest
import BLEOTAWire

/// Public keys as C source for firmware, whose hooks `trusts` and `verify` use them.
struct KeySource {
    /// 12 bytes of five characters each, with spaces between them, fill lines of 79 columns.
    private static let byteCountInLine = 12

    private let kind: SigningKind
    private let keys: [VerifyingKey]

    /// Returns `nil` if there is no key, or if the keys have several algorithms.
    init?(_ keys: [VerifyingKey]) {
        guard let kind = keys.first?.kind, keys.allSatisfy({ $0.kind == kind }) else { return nil }
        self.kind = kind
        self.keys = keys
    }

    /// Self-contained C, valid in any standard since C99.
    var text: String {
        """
        \(keys.map(title).joined(separator: "\n"))
        #include <stdint.h>

        /* The algorithm number in signatures by these keys (spec/registry.md). */
        enum { bleota_key_algorithm = \(kind.algorithm.rawValue) };
        enum { bleota_key_count = \(keys.count) };

        static const uint8_t bleota_key_ids[bleota_key_count][8] = {
        \(Self.rows(keys.map(Self.keyID)))
        };

        /* \(meaning) */
        static const uint8_t bleota_keys[bleota_key_count][\(keys[0].bytes.count)] = {
        \(Self.rows(keys.map(\.bytes)))
        };
        """
    }

    private func title(_ key: VerifyingKey) -> String {
        "/* The public half of the \(kind.name) key \(key.id.hex). */"
    }

    private static func keyID(_ key: VerifyingKey) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: key.id.rawValue >> (8 * $0)) }
    }

    private var meaning: String {
        switch kind {
        case .ed25519: "The public keys as RFC 8032 encodes them, 32 bytes each."
        case .p256: "The public keys as uncompressed points: 4, X, Y."
        }
    }

    private static func rows(_ rows: [[UInt8]]) -> String {
        rows.map { "    {\n\(lines($0))\n    }," }.joined(separator: "\n")
    }

    private static func lines(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: byteCountInLine).map { start in
            let line = bytes[start..<min(start + byteCountInLine, bytes.count)]
            return "        " + line.map { "0x\(HexText.text([$0]))," }.joined(separator: " ")
        }.joined(separator: "\n")
    }
}
