import BLEOTACore
import BLEOTAWire

/// Follows a session that measures how fast a link is, and decides when the measurement is over.
///
/// The measurement ends with an ACK, so all its counts end at the same moment. That ACK is the
/// first one after the duration has passed, or the one for the last chunk that may be sent.
struct Measuring {
    private let duration: Microseconds
    /// The number of bytes that may be sent: all but the last block, without which no receiver can
    /// make the image current.
    private let byteCountMax: Int
    private var isEndReached = false
    /// When the first ACK for the image arrived.
    private var beganAt: Instant?
    /// When the last ACK with new chunks arrived.
    private var newsAt = Instant(microseconds: 0)
    private var acknowledgedByteCount = 0
    private var sent = FrameCounts()
    private var sentAtNews = FrameCounts()

    private struct FrameCounts {
        var all = 0
        var repeated = 0
    }

    /// - Parameter duration: how long to send; zero to send nothing and only withdraw the transfer.
    init(_ variant: ImageVariant, for duration: Duration) {
        self.duration = Microseconds(MonotonicClock.microseconds(duration))
        let blockByteCount = variant.manifest.blockByteCount
        byteCountMax = (variant.byteCount - 1) / blockByteCount * blockByteCount
    }

    /// Returns the chunk to send, or `nil` if the chunk is past the end of the part that may be
    /// sent. The last chunk of that part is made a poll: the sender counts the chunks past the end
    /// as sent, and would otherwise poll with one of them.
    mutating func admit(_ chunk: SenderTransmission.Chunk) -> SenderTransmission.Chunk? {
        guard chunk.object == .image else { return chunk }
        guard chunk.byteRange.upperBound <= byteCountMax else {
            isEndReached = true
            return nil
        }
        sent.all += 1
        if chunk.isRepeated { sent.repeated += 1 }
        var chunk = chunk
        if chunk.byteRange.upperBound + chunk.byteRange.count > byteCountMax { chunk.isPoll = true }
        return chunk
    }

    /// Evaluates the sender's latest state.
    ///
    /// - Returns: whether the measurement is over.
    mutating func take(
        _ sender: borrowing Sender,
        acknowledgedByteCount byteCount: Int,
        at now: Instant
    ) -> Bool {
        switch sender.phase {
        case .opening, .discoveringSize, .ended: return false
        case .streaming(.image), .awaitingResult(.image): break
        case .streaming, .awaitingResult: return duration == .zero
        }
        guard let beganAt else {
            beganAt = now
            newsAt = now
            return duration == .zero
        }
        if byteCount > 0 {
            acknowledgedByteCount += byteCount
            newsAt = now
            sentAtNews = sent
        }
        // The sender counts withheld chunks as sent, but they are never acknowledged.
        let sentByteCount = (sent.all - sent.repeated) * sender.chunkSize.byteCount
        return isEndReached && acknowledgedByteCount >= sentByteCount
            || acknowledgedByteCount > 0 && now - beganAt >= duration
    }

    /// The result of the measurement.
    func measurement(chunkSize: ChunkSize, attMTU: Int) -> TransferMeasurement {
        TransferMeasurement(
            acknowledgedByteCount: acknowledgedByteCount,
            duration: .microseconds((newsAt - (beganAt ?? newsAt)).rawValue),
            dataFramesSent: sentAtNews.all,
            dataFramesResent: sentAtNews.repeated,
            chunkByteCount: chunkSize.byteCount,
            attMTU: attMTU
        )
    }
}
