import Synchronization

/// What the two ends of a loopback share: a pipe in each direction, and why each end was told
/// that the link is over.
final class LoopbackLink: Sendable {
    /// Index of an end, and of the pipe it sends into.
    enum End: Int, Sendable {
        case first = 0
        case second = 1
        var peer: End { self == .first ? .second : .first }
    }

    private struct Reasons {
        var first: CloseReason?
        var second: CloseReason?
    }

    private let fromFirst: LoopbackPipe
    private let fromSecond: LoopbackPipe
    private let reasons = Mutex(Reasons())

    init(transmitWindow: Int, inboundLimit: Int) {
        fromFirst = LoopbackPipe(transmitWindow: transmitWindow, inboundLimit: inboundLimit)
        fromSecond = LoopbackPipe(transmitWindow: transmitWindow, inboundLimit: inboundLimit)
    }

    func pipe(from end: End) -> LoopbackPipe {
        end == .first ? fromFirst : fromSecond
    }

    func closeReason(of end: End) -> CloseReason? {
        reasons.withLock { reasons in end == .first ? reasons.first : reasons.second }
    }

    func close(by end: End, _ reason: CloseReason) {
        finish(by: end, own: reason, peers: reason.seenByPeer, overflowed: nil)
    }

    /// The queue that `sender` fills ran over: nobody may go on as if all had arrived.
    func overflow(by sender: End) {
        finish(by: sender, own: .overflow, peers: .overflow, overflowed: sender)
    }

    private func finish(
        by end: End,
        own: CloseReason,
        peers: CloseReason,
        overflowed: End?
    ) {
        // One lock decides for both directions; otherwise two ends that close at the same time
        // could each be told one reason when they send and another when they receive.
        let decided = reasons.withLock { reasons in
            if reasons.first != nil { return false }
            (reasons.first, reasons.second) = end == .first ? (own, peers) : (peers, own)
            return true
        }
        if !decided { return }
        for (sender, reason, peersReason) in [(end, own, peers), (end.peer, peers, own)] {
            let pipe = pipe(from: sender)
            pipe.end(
                sender: reason,
                receiver: sender == overflowed ? pipe.overflowError : .closed(peersReason)
            )
        }
    }
}
