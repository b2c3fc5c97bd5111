/// One signature of a manifest: its algorithm, its key and its position.
public struct ManifestSignature: Hashable, Sendable {
    /// The algorithm of the signature.
    public let algorithm: SignatureAlgorithm
    /// The ID of the signing key.
    public let keyID: KeyID
    /// The byte range of the signature in the manifest.
    public let value: Range<Int>
}
