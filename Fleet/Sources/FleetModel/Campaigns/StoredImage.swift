/// An image bundle as the fleet keeps it: in chunks of ``chunkByteCount``, of which the last may be
/// shorter.
package struct StoredImage: Sendable, Hashable {
    /// A server takes messages of up to 1 MiB; an eighth of it leaves room for others' messages in
    /// between, and 64 MiB are 512 chunks.
    package static let chunkByteCount = 131_072
    /// As large as bleota's largest image and its signatures.
    package static let imageByteCountMax: UInt64 = 1 << 32

    package let byteCount: UInt64

    /// Makes the description; `nil` if the image is empty or too large.
    package init?(byteCount: UInt64) {
        guard (1...Self.imageByteCountMax).contains(byteCount) else { return nil }
        self.byteCount = byteCount
    }

    package var chunkCount: Int {
        Int((byteCount + UInt64(Self.chunkByteCount) - 1) / UInt64(Self.chunkByteCount))
    }
}
