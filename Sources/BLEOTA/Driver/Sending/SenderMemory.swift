import BLEOTACore

/// The memory of one sender.
final class SenderMemory: @unchecked Sendable {
    /// Twice the largest window, so that holes at its beginning don't stop it.
    private static let chunkCount = 2 * WindowPolicy.chunkCountMax

    let chunks: UnsafeMutableBufferPointer<SentChunk>

    init() {
        chunks = .allocate(capacity: Self.chunkCount)
        chunks.initialize(repeating: SentChunk())
    }

    deinit { chunks.deallocate() }
}
