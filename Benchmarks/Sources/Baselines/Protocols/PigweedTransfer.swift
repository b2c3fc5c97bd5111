/// A model of Pigweed's pw_transfer, sending to a device: the receiver says how far the sender may
/// send, and where it has to begin again.
enum PigweedTransfer {
    enum Frame {
        case start
        case startAcknowledgement
        case startConfirmation
        case data(Range<Int>)
        /// How far the sender may send.
        case goOn(windowEnd: Int)
        /// That, and where it goes on.
        case goBack(offset: Int, windowEnd: Int)
        case completion
    }

    /// Session, type, offset and the keys of each, and what carries the chunk: 14 of 244 bytes.
    static let overheadByteCount = 14
    /// A chunk without data, with the same and a window's end.
    static let controlByteCount = 20
    /// The largest window.
    static let windowChunkCountMax = 48
    /// Of either end.
    static let timeoutMilliseconds = 2_000

    /// The bytes of the image in a chunk.
    static func chunkByteCount(_ setup: BaselineSetup) -> Int {
        setup.valueByteCountMax - overheadByteCount
    }
}
