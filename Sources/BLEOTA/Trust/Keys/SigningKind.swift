import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// The kinds of signing keys: one for each algorithm in the registry.
package enum SigningKind: String, CaseIterable, Sendable {
    /// Ed25519, with public keys of 32 bytes. The default choice.
    case ed25519
    /// ECDSA over P-256 with SHA-256, with public keys of 65 bytes. Supported by the hardware
    /// and the libraries of many microcontrollers.
    case p256

    /// The algorithm that manifests state for signatures by such a key.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .ed25519: .ed25519
        case .p256: .p256
        }
    }

    /// The kind of key for an algorithm; `nil` if this release does not support the algorithm.
    package init?(_ algorithm: SignatureAlgorithm) {
        guard let kind = Self.allCases.first(where: { $0.algorithm == algorithm }) else {
            return nil
        }
        self = kind
    }

    /// The usual name of the kind.
    package var name: String {
        switch self {
        case .ed25519: "Ed25519"
        case .p256: "P-256"
        }
    }
}
