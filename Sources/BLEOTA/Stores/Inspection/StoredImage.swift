public import SystemPackage

/// An image that was verified as it is stored and made current.
public struct StoredImage: Hashable, Sendable {
    /// The file with the image; `nil` if it is kept in memory.
    public let path: FilePath?
    /// The SHA-256 that was computed of what is stored, decoded if it travelled encoded, 32 bytes.
    public let sha256: [UInt8]
    /// The length of the image, decoded if it travelled encoded.
    public let byteCount: Int
    /// What the sender said of it.
    public let manifest: Manifest

    /// What became of the image of this manifest, once it has its hash.
    init(_ manifest: Manifest, at path: FilePath?) {
        self.path = path
        self.manifest = manifest
        sha256 = manifest.decodedSHA256
        byteCount = manifest.decodedByteCount
    }
}
