/// The algorithm of a manifest signature (spec/registry.md).
public struct SignatureAlgorithm: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The number in the manifest.
    public let rawValue: UInt8

    /// Creates an algorithm. Every 8-bit number is valid, but only some are assigned.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ed25519 (RFC 8032), with public keys of 32 bytes and signatures of 64 bytes.
    public static var ed25519: SignatureAlgorithm { SignatureAlgorithm(rawValue: 1) }
    /// ECDSA over P-256 with SHA-256, with public keys of 65 bytes and signatures of 64 bytes.
    public static var p256: SignatureAlgorithm { SignatureAlgorithm(rawValue: 2) }

    /// The length of a public key in bytes, or `nil` for an unknown algorithm.
    public var publicKeyByteCount: Int? {
        switch self {
        case .ed25519: 32
        case .p256: 65
        default: nil
        }
    }

    /// The length of a signature in bytes, or `nil` for an unknown algorithm.
    public var valueByteCount: Int? { self == .ed25519 || self == .p256 ? 64 : nil }
}
