/// The identity of an upload. It stays the same, whatever the link or the host over which the
/// upload continues.
package struct UploadID: Hashable, Sendable {
    /// The SHA-256 of the whole file, 32 bytes.
    package let sha256: [UInt8]
    /// The length of the whole file in bytes.
    package let byteCount: Int

    package init(sha256: [UInt8], byteCount: Int) {
        precondition(sha256.count == 32 && byteCount >= 0)
        self.sha256 = sha256
        self.byteCount = byteCount
    }

    /// The upload of a client that announces no SHA-256. It can't be resumed.
    package static func anonymous(byteCount: Int) -> UploadID {
        UploadID(sha256: [UInt8](repeating: 0, count: 32), byteCount: byteCount)
    }

    /// Whether the SHA-256 is unknown.
    package var isAnonymous: Bool { sha256.allSatisfy { $0 == 0 } }

    /// The name of the upload's directory: 16 hexadecimal digits, like the tag of a transfer.
    var name: String { HexText.text(Array(sha256.prefix(8))) }
}
