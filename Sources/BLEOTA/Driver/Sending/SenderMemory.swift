import BLEOTACore

/// The memory of one sender.
final class SenderMemory: @unchecked Sendable {
    /// Twice the largest window, so gaps at the start of the window don't stop the sender.
    private static let chunkCount = 2 * WindowPolicy.chunkCountMax

    let chunks: UnsafeMutableBufferPointer<SentChunk>

    init() {
        chunks = .allocate(capacity: Self.chunkCount)
        chunks.initialize(repeating: SentChunk())
    }

    deinit { chunks.deallocate() }
}
