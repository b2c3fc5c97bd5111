import Synchronization

/// The state that both ends of a loopback share: a pipe in each direction, and the close reason of
/// each end.
final class LoopbackLink: Sendable {
    /// An end of the link, which also identifies the pipe that the end sends into.
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

    /// Ends the link because the queue that `sender` fills overflowed. Neither end may continue as
    /// if everything had arrived.
    func overflow(by sender: End) {
        finish(by: sender, own: .overflow, peers: .overflow, overflowed: sender)
    }

    private func finish(
        by end: End,
        own: CloseReason,
        peers: CloseReason,
        overflowed: End?
    ) {
        // The close reasons of both directions are set under one lock. Otherwise, if both ends
        // closed at the same time, each could get one reason when it sends and another when it
        // receives.
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
