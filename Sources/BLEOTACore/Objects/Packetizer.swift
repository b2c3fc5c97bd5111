/// Cuts an object into chunks.
///
/// ```swift
/// let packetizer = Packetizer(objectByteCount: 1_000, chunkSize: chunkSize)
/// for index in 0..<packetizer.chunkCount {
///     send(image[packetizer.byteRange(ofChunk: index)])
/// }
/// ```
public struct Packetizer: Hashable, Sendable, BitwiseCopyable {
    /// The length of the object, at least 1.
    public let objectByteCount: UInt32
    /// The length of every chunk but the last.
    public let chunkSize: ChunkSize
    /// How many chunks the object has, at least 1.
    public let chunkCount: UInt32

    /// Cuts an object of `objectByteCount` bytes, at least 1.
    public init(objectByteCount: UInt32, chunkSize: ChunkSize) {
        precondition(objectByteCount > 0, "an object has at least one byte")
        self.objectByteCount = objectByteCount
        self.chunkSize = chunkSize
        let byteCount = UInt64(chunkSize.byteCount)
        chunkCount = UInt32((UInt64(objectByteCount) + byteCount - 1) / byteCount)
    }

    /// Where a chunk lies in the object.
    ///
    /// - Parameter index: below ``chunkCount``.
    public func byteRange(ofChunk index: UInt32) -> Range<Int> {
        precondition(index < chunkCount, "the object has no such chunk")
        let start = Int(index) * chunkSize.byteCount
        return start..<min(start + chunkSize.byteCount, Int(objectByteCount))
    }
}
