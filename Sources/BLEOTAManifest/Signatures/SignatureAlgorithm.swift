/// How a manifest is signed (spec/registry.md).
public struct SignatureAlgorithm: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The number in the manifest.
    public let rawValue: UInt8

    /// Any 8-bit number is an algorithm; only some are assigned.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ed25519 of RFC 8032, with keys of 32 bytes and signatures of 64.
    public static var ed25519: SignatureAlgorithm { SignatureAlgorithm(rawValue: 1) }
    /// ECDSA over P-256 with SHA-256, with keys of 65 bytes and signatures of 64.
    public static var p256: SignatureAlgorithm { SignatureAlgorithm(rawValue: 2) }

    /// How long its signatures are; `nil` where that is not known.
    public var valueByteCount: Int? { self == .ed25519 || self == .p256 ? 64 : nil }
}
