import BLEOTACore
import BLEOTAWire

/// Follows a session that is to find out what a link carries, and says when it has.
///
/// It ends with an account of the receiver, so that what it counts ends there too: with the first
/// one after the time is over, or with that of the last chunk that may be sent.
struct Measuring {
    private let duration: Microseconds
    /// Where the part of the image ends that may be sent. Without its last block no receiver can
    /// make the image current.
    private let byteCountMax: Int
    private var isEndReached = false
    /// The first account of the image.
    private var beganAt: Instant?
    /// The last account that showed anything new.
    private var newsAt = Instant(microseconds: 0)
    private var acknowledgedByteCount = 0
    private var sent = FrameCounts()
    private var sentAtNews = FrameCounts()

    private struct FrameCounts {
        var all = 0
        var repeated = 0
    }

    /// - Parameter duration: zero to take back what the receiver holds, and send nothing.
    init(_ variant: ImageVariant, for duration: Duration) {
        self.duration = Microseconds(MonotonicClock.microseconds(duration))
        let blockByteCount = variant.manifest.blockByteCount
        byteCountMax = (variant.byteCount - 1) / blockByteCount * blockByteCount
    }

    /// What may be sent of a chunk: `nil` for one past the end, and the last one asks for its ACK,
    /// since the sender takes those past the end for sent, and asks with one of them.
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

    /// Takes what the receiver has told.
    ///
    /// - Returns: whether it is over.
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
        // What was held back counts as sent for the sender, and is never acknowledged.
        let sentByteCount = (sent.all - sent.repeated) * sender.chunkSize.byteCount
        return isEndReached && acknowledgedByteCount >= sentByteCount
            || acknowledgedByteCount > 0 && now - beganAt >= duration
    }

    /// What came of it.
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
