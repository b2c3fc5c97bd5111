import BLEOTACore
import Synchronization

/// Collects the results that the events of one session report.
final class OutcomeCollector: Sendable {
    private struct State {
        var stored: StoredImage?
        var resumedFromByte: Int?
        var furthestDurable: TransferPosition?

        mutating func reach(_ byteCount: Int) {
            furthestDurable = .further(
                of: furthestDurable,
                TransferPosition(object: .image, byteCount: UInt64(byteCount))
            )
        }
    }

    private let state = Mutex(State())

    func note(_ event: ReceiverEvent.Kind) {
        state.withLock { state in
            switch event {
            case .stored(let image), .alreadyCurrent(let image): state.stored = image
            case .started(_, let byte):
                state.resumedFromByte = state.resumedFromByte ?? byte
                state.reach(byte)
            case .progress(let progress): state.reach(progress.durableByteCount)
            default: break
            }
        }
    }

    /// Whether the image is verified and current.
    var isStored: Bool { state.withLock { $0.stored != nil } }

    var resumedFromByte: Int? { state.withLock { $0.resumedFromByte } }

    /// The largest durable byte count of the image so far; `nil` until a transfer of the image
    /// starts.
    var furthestDurable: TransferPosition? { state.withLock { $0.furthestDurable } }

    /// Returns the stored image, or throws an error that states why there is none. Once the image
    /// is current, the transfer is a success, even if the link ended before the sender's CLOSE
    /// confirmed RESULT.
    func conclude(_ ending: ReceiveEnding) throws(TransferError) -> StoredImage {
        if let stored = state.withLock({ $0.stored }) { return stored }
        switch ending {
        case .session(let session, let error):
            throw TransferError(sessionEndedBy: session, error)
        case .link(let linkError, let error):
            throw error.map { TransferError(.store($0)) }
                ?? TransferError(.linkLost(CloseReason(linkError)))
        case .requested: throw TransferError(.protocolViolated)
        }
    }
}
