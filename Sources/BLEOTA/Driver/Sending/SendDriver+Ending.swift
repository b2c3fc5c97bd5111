import BLEOTACore
import BLEOTAWire

extension SendDriver {
    /// How a session ended, and its totals.
    struct Ending: Sendable {
        var outcome: SenderOutcome?
        var linkError: TransportError?
        var sourceError: FirmwareError?
        var statistics: SenderStatistics
        var resumedFromByte: UInt32?
        var furthestDurable: TransferPosition?
        var chunkSize: ChunkSize
        var dataByteCount: Int
        var measuring: Measuring?
        /// If another REQUEST ended the session, that REQUEST and the datagrams after it;
        /// otherwise empty.
        var nextRequest: [Datagram]

        /// Why the session did not end as intended, with a verified image or a measurement; `nil`
        /// if it did.
        var error: TransferError? {
            if let sourceError { return TransferError(.source(sourceError)) }
            switch outcome {
            case .verified: return nil
            // If the link ended, it is unknown whether the receiver got CLOSE.
            case .aborted(.withdrawn) where linkError != nil:
                return TransferError(.linkLost(linkError.map(CloseReason.init) ?? .local))
            // A measurement that was not cancelled is complete.
            case .aborted(.withdrawn): return Task.isCancelled ? TransferError(.cancelled) : nil
            case .refused(let reason, let detail):
                return TransferError(.refused(reason, detail: detail))
            case .wrongDigest: return TransferError(.wrongReceipt)
            case .aborted(.silent): return TransferError(.silent)
            case .aborted(.stalled): return TransferError(.stalled)
            case .aborted(.cancelled): return TransferError(.cancelled)
            case .aborted: return TransferError(.protocolViolated)
            case nil: return TransferError(.linkLost(linkError.map(CloseReason.init) ?? .local))
            }
        }
    }
}
