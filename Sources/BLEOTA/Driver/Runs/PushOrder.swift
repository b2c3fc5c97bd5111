import Synchronization

/// Passes the updates of a push on in the order that ``PushUpdate`` promises: progress never falls,
/// although bytes that a receiver has lost are sent again, and says that all is stored before the
/// image is verified.
final class PushOrder: Sendable {
    private let onUpdate: @Sendable (PushUpdate) -> Void
    private let last = Mutex<TransferProgress?>(nil)

    init(onUpdate: @escaping @Sendable (PushUpdate) -> Void) { self.onUpdate = onUpdate }

    /// Passes an update on, unless it is progress that falls behind the last.
    @Sendable func pass(_ update: PushUpdate) {
        if case .progress(let progress) = update {
            let isFurther = last.withLock { last in
                if let last, progress.fractionStored < last.fractionStored { return false }
                last = progress
                return true
            }
            guard isFurther else { return }
        }
        onUpdate(update)
    }

    /// The receiver has verified the image: all is stored, whether it had said so or not.
    func verified(_ report: TransferReport) {
        let last = last.withLock { $0 }
        if last?.fractionStored != 1 {
            onUpdate(
                .progress(
                    TransferProgress(
                        durableByteCount: report.encodedByteCount,
                        totalByteCount: report.encodedByteCount,
                        bytesPerSecond: last?.bytesPerSecond ?? 0,
                        dataFramesSent: report.dataFramesSent,
                        dataFramesResent: report.dataFramesResent
                    )
                )
            )
        }
        onUpdate(.verified(report))
    }
}
