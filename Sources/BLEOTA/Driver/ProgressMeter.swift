package import BLEOTACore

/// Turns durable byte counts into progress with a rate, at most ten times a second.
package struct ProgressMeter {
    private static let spacing = Microseconds.milliseconds(100)
    /// The rate is averaged over approximately the last three seconds.
    private static let memory = 3_000_000.0

    private let totalByteCount: Int
    private var lastByteCount: Int?
    private var lastTakenAt = Instant(microseconds: 0)
    private var rate = 0.0

    package init(totalByteCount: Int) { self.totalByteCount = totalByteCount }

    /// The progress to report now, or `nil` if nothing has changed or the last report is too
    /// recent.
    package mutating func take(
        durableByteCount: Int,
        dataFramesSent: Int,
        dataFramesResent: Int,
        at now: Instant
    ) -> TransferProgress? {
        guard let last = lastByteCount else {
            lastByteCount = durableByteCount
            lastTakenAt = now
            return progress(durableByteCount, dataFramesSent, dataFramesResent)
        }
        let elapsed = now - lastTakenAt
        let isComplete = durableByteCount == totalByteCount
        guard durableByteCount != last, elapsed >= Self.spacing || isComplete else { return nil }
        let span = Double(max(elapsed.rawValue, 1))
        let newRate = Double(durableByteCount - last) * 1_000_000 / span
        let weight = rate == 0 ? 1 : min(span / Self.memory, 1)
        rate += (newRate - rate) * weight
        lastByteCount = durableByteCount
        lastTakenAt = now
        return progress(durableByteCount, dataFramesSent, dataFramesResent)
    }

    private func progress(_ durable: Int, _ sent: Int, _ resent: Int) -> TransferProgress {
        TransferProgress(
            durableByteCount: durable,
            totalByteCount: totalByteCount,
            bytesPerSecond: rate,
            dataFramesSent: sent,
            dataFramesResent: resent
        )
    }
}
