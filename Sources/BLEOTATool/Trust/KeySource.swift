import BLEOTA
import BLEOTAManifest
import BLEOTAWire

/// A public key as C source for firmware, whose hooks `trusts` and `verify` use it.
struct KeySource {
    /// 12 bytes of five characters each, with spaces between them, fill lines of 75 columns.
    private static let byteCountInLine = 12

    let key: VerifyingKey

    /// Self-contained C, valid in any standard since C99.
    var text: String {
        """
        /* The public half of the \(key.kind.name) key \(key.id.hex). */
        #include <stdint.h>

        /* The algorithm number in signatures by this key (spec/registry.md). */
        enum { bleota_key_algorithm = \(key.kind.algorithm.rawValue) };

        static const uint8_t bleota_key_id[8] = {
        \(Self.lines(keyID))
        };

        /* \(meaning) */
        static const uint8_t bleota_key[\(key.bytes.count)] = {
        \(Self.lines(key.bytes))
        };
        """
    }

    private var keyID: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: key.id.rawValue >> (8 * $0)) }
    }

    private var meaning: String {
        switch key.kind {
        case .ed25519: "The public key as RFC 8032 encodes it, 32 bytes."
        case .p256: "The public key as an uncompressed point: 4, X, Y."
        }
    }

    private static func lines(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: byteCountInLine).map { start in
            let line = bytes[start..<min(start + byteCountInLine, bytes.count)]
            return "    " + line.map { "0x\(HexText.text([$0]))," }.joined(separator: " ")
        }.joined(separator: "\n")
    }
}
