import BLEOTACore
import Synchronization

/// Keeps what the events of one session said, until the session is over.
final class StoredImageBox: Sendable {
    private struct State {
        var stored: StoredImage?
        var resumedFromByte: Int?
        var durableByteCount = 0
    }

    private let state = Mutex(State())

    func note(_ event: ReceiveEvent) {
        state.withLock { state in
            switch event {
            case .stored(let image), .alreadyCurrent(let image): state.stored = image
            case .started(_, let byte): state.resumedFromByte = state.resumedFromByte ?? byte
            case .progress(let progress): state.durableByteCount = progress.durableByteCount
            default: break
            }
        }
    }

    var resumedFromByte: Int? { state.withLock { $0.resumedFromByte } }

    var durableByteCount: Int { state.withLock { $0.durableByteCount } }

    /// The image, or why there is none. An image that is current stays a success even if the link
    /// ended before the sender could say that it knows.
    func conclude(_ ending: ReceiveEnding) throws(TransferError) -> StoredImage {
        if let stored = state.withLock({ $0.stored }) { return stored }
        switch ending {
        case .session(let reason, let error):
            throw reason == .cancelled && Task.isCancelled
                ? TransferError(.cancelled) : TransferError(sessionEndedBy: reason, error)
        case .link(let linkError, let error):
            throw error.map { TransferError(.store($0)) }
                ?? TransferError(.linkLost(CloseReason(linkError)))
        case .requested: throw TransferError(.protocolViolated)
        }
    }
}
