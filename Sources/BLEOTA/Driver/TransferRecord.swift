import Logging
import Metrics

/// Logs transfers, and counts them in the process's metrics system, if it has one.
///
/// The metrics are `bleota_transfers_total` with the dimensions `role` and `outcome`,
/// `bleota_stored_bytes_total`, and the timer `bleota_transfer_duration`, which records successful
/// transfers.
struct TransferRecord: Sendable {
    private enum Role: String { case sender, receiver }

    private let logger: Logger?

    init(_ logger: Logger?) { self.logger = logger }

    func note(_ update: PushUpdate) {
        switch update {
        case .connected, .running: logger?.debug("\(update)")
        case .progress: logger?.trace("\(update)")
        case .reconnecting, .notice: logger?.notice("\(update)")
        case .verified(let report):
            logger?.info("\(update)")
            succeeded(report, .sender)
        case .confirmed: logger?.info("\(update)")
        }
    }

    /// Records a push that failed.
    func note(_ error: TransferError) {
        logger?.error("\(error)", metadata: ["code": "\(error.code)"])
        count(.sender, outcome: error.code.rawValue)
    }

    func note(_ event: ReceiverEvent) {
        let metadata: Logger.Metadata = ["peer": "\(event.peer)"]
        switch event.kind {
        case .progress: logger?.trace("\(event.kind)", metadata: metadata)
        case .listening, .started, .alreadyCurrent:
            logger?.info("\(event.kind)", metadata: metadata)
        case .stored(let image):
            logger?.info("\(event.kind)", metadata: metadata)
            count(.receiver, outcome: "verified")
            Counter(label: "bleota_stored_bytes_total").increment(by: image.byteCount)
        case .served(_, let report):
            logger?.info("\(event.kind)", metadata: metadata)
            succeeded(report, .sender)
        case .ended(let error):
            logger?.notice("\(event.kind)", metadata: metadata)
            count(.receiver, outcome: error.code.rawValue)
        case .servingEnded(_, let error):
            logger?.notice("\(event.kind)", metadata: metadata)
            count(.sender, outcome: error.code.rawValue)
        }
    }

    func note(_ change: LineChange) {
        switch change {
        case .gone(let error): logger?.notice("waiting for the line: \(error)")
        case .opened: logger?.notice("the line is available again")
        }
    }

    private func succeeded(_ report: TransferReport, _ role: Role) {
        count(role, outcome: "verified")
        Timer(label: "bleota_transfer_duration").record(duration: report.duration)
    }

    private func count(_ role: Role, outcome: String) {
        Counter(
            label: "bleota_transfers_total",
            dimensions: [("role", role.rawValue), ("outcome", outcome)]
        ).increment()
    }
}
