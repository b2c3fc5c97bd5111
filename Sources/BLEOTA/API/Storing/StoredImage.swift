package import SystemPackage

/// An image that was verified as it is stored and made current.
public struct StoredImage: Hashable, Sendable {
    /// The file with the image; `nil` if it is kept in memory.
    package let filePath: FilePath?
    /// The path of the file with the image; `nil` if it is kept in memory.
    public var path: String? { filePath?.string }
    /// The SHA-256 that was computed of what is stored, decoded if it travelled encoded, 32 bytes.
    public let sha256: [UInt8]
    /// The length of the image, decoded if it travelled encoded.
    public let byteCount: Int
    /// What the sender said of it.
    public let manifest: Manifest

    /// What became of the image of this manifest, once a store has found that it has its hash.
    ///
    /// - Parameter path: of the file with the image; `nil` if it is kept in memory.
    public init(_ manifest: Manifest, path: String?) {
        self.init(manifest, at: path.map { FilePath($0) })
    }

    /// The same with the path as the system has it.
    init(_ manifest: Manifest, at path: FilePath?) {
        filePath = path
        self.manifest = manifest
        sha256 = manifest.decodedSHA256
        byteCount = manifest.decodedByteCount
    }
}

extension StoredImage: CustomStringConvertible {
    /// One short line: `262,144 bytes, version 2.1.0, at /var/lib/lamp/current/image`.
    public var description: String {
        let version = manifest.version.map { ", version \($0)" } ?? ""
        return "\(byteCount) bytes\(version)" + (path.map { ", at \($0)" } ?? "")
    }
}
