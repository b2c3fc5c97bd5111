/// Divides an object into chunks.
///
/// ```swift
/// let packetizer = Packetizer(objectByteCount: 1_000, chunkSize: chunkSize)
/// for index in 0..<packetizer.chunkCount {
///     send(image[packetizer.byteRange(ofChunk: index)])
/// }
/// ```
public struct Packetizer: Hashable, Sendable, BitwiseCopyable {
    /// The length of the object in bytes, at least 1.
    public let objectByteCount: UInt32
    /// The size of every chunk, except that the last one may be shorter.
    public let chunkSize: ChunkSize
    /// The number of chunks, at least 1.
    public let chunkCount: UInt32

    /// Divides an object of `objectByteCount` bytes, at least 1, into chunks.
    public init(objectByteCount: UInt32, chunkSize: ChunkSize) {
        precondition(objectByteCount > 0, "an object has at least one byte")
        self.objectByteCount = objectByteCount
        self.chunkSize = chunkSize
        let byteCount = UInt64(chunkSize.byteCount)
        chunkCount = UInt32((UInt64(objectByteCount) + byteCount - 1) / byteCount)
    }

    /// Returns the byte range of a chunk within the object.
    ///
    /// - Parameter index: a chunk index below ``chunkCount``.
    public func byteRange(ofChunk index: UInt32) -> Range<Int> {
        precondition(index < chunkCount, "the object has no such chunk")
        let start = Int(index) * chunkSize.byteCount
        return start..<min(start + chunkSize.byteCount, Int(objectByteCount))
    }
}
