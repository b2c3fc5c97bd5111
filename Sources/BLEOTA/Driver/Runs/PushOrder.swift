import Synchronization

/// Passes on the updates of a push in the order that ``PushUpdate`` promises. Progress never
/// decreases, even if bytes that a receiver has lost are sent again, and full progress is reported
/// before the image is verified.
package final class PushOrder: Sendable {
    private let onUpdate: @Sendable (PushUpdate) -> Void
    private let last = Mutex<TransferProgress?>(nil)

    package init(onUpdate: @escaping @Sendable (PushUpdate) -> Void) { self.onUpdate = onUpdate }

    /// Passes an update on, unless it reports less progress than the previous one.
    @Sendable package func pass(_ update: PushUpdate) {
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

    /// Reports that the receiver has verified the image. Reports full progress first, unless it has
    /// been reported already.
    package func verified(_ report: TransferReport) {
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
