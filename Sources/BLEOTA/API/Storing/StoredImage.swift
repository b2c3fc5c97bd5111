package import SystemPackage

/// An image that was verified in storage and made current.
public struct StoredImage: Hashable, Sendable {
    /// The path of the file with the image; `nil` if the image is kept in memory.
    package let filePath: FilePath?
    /// The path of the file with the image; `nil` if the image is kept in memory.
    public var path: String? { filePath?.string }
    /// The SHA-256 of the stored, decoded image, 32 bytes. It was computed from the stored
    /// bytes.
    public let sha256: [UInt8]
    /// The length of the decoded image in bytes.
    public let byteCount: Int
    /// The manifest of the image.
    public let manifest: Manifest

    /// Creates the description of an image that a store has verified against its manifest.
    ///
    /// - Parameters:
    ///   - manifest: the manifest of the image.
    ///   - path: the path of the file with the image; `nil` if the image is kept in memory.
    public init(_ manifest: Manifest, path: String?) {
        self.init(manifest, at: path.map { FilePath($0) })
    }

    /// The same initializer, with the path as a `FilePath`.
    init(_ manifest: Manifest, at path: FilePath?) {
        filePath = path
        self.manifest = manifest
        sha256 = manifest.decodedSHA256
        byteCount = manifest.decodedByteCount
    }
}

extension StoredImage: CustomStringConvertible {
    /// One short line, such as `262144 bytes, version 2.1.0, at /var/lib/lamp/current/image`.
    public var description: String {
        let version = manifest.version.map { ", version \($0)" } ?? ""
        return "\(byteCount) bytes\(version)" + (path.map { ", at \($0)" } ?? "")
    }
}
