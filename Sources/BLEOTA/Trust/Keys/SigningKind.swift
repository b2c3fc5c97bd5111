import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

/// The kinds of key that sign images: one for each algorithm that the registry knows.
package enum SigningKind: String, CaseIterable, Sendable {
    /// Ed25519, with public keys of 32 bytes. What to take where nothing asks for the other.
    case ed25519
    /// ECDSA over P-256 with SHA-256, with public keys of 65 bytes: what the hardware and the
    /// libraries of many microcontrollers have.
    case p256

    /// What manifests say of signatures by such a key.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .ed25519: .ed25519
        case .p256: .p256
        }
    }

    /// The kind of the keys that sign so; `nil` for an algorithm that is not known here.
    package init?(_ algorithm: SignatureAlgorithm) {
        guard let kind = Self.allCases.first(where: { $0.algorithm == algorithm }) else {
            return nil
        }
        self = kind
    }

    /// As people write it.
    package var name: String {
        switch self {
        case .ed25519: "Ed25519"
        case .p256: "P-256"
        }
    }
}
