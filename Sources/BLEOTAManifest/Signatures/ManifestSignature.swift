/// One signature of a manifest: whose, and where it stands.
public struct ManifestSignature: Hashable, Sendable {
    /// How it was made.
    public let algorithm: SignatureAlgorithm
    /// With which key.
    public let keyID: KeyID
    /// Where it stands in the manifest.
    public let value: Range<Int>
}
