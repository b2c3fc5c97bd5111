package import FleetModel
package import FleetStore

/// Where a gateway fetches images.
package protocol ImageSource: Sendable {
    func info(_ image: Digest) async throws(FleetStoreError) -> StoredImage
    func chunk(_ number: Int, of image: Digest) async throws(FleetStoreError) -> [UInt8]
}

extension ImageShelf: ImageSource {}

extension StoredImage {
    /// The bytes of a chunk, all of which are full except the last.
    func byteCount(ofChunk number: Int) -> Int {
        let start = UInt64(number * Self.chunkByteCount)
        return Int(min(UInt64(Self.chunkByteCount), byteCount - start))
    }
}
