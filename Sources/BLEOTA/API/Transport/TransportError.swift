/// What a link may report to the code that uses it.
public enum TransportError: Error, Sendable, Hashable {
    /// The link has ended; the reason is the same for everyone who asks.
    case closed(CloseReason)
    /// The datagram is longer than the link can carry: a mistake of the caller.
    case datagramTooLarge(byteCount: Int, limit: Int)
    /// GATT stacks treat an empty value as the end of a stream, so no link carries one.
    case emptyDatagram
    /// More than `limit` datagrams arrived that nobody took; the link is closed.
    case inboundOverflow(limit: Int)
    /// The task that waited was cancelled.
    case cancelled
}

/// Why a link ended. Exactly one reason is kept for each link, the first.
public enum CloseReason: Error, Sendable, Hashable {
    /// This end closed it.
    case local
    /// The peer closed it, or its process or radio is gone.
    case remote
    /// The inbound queue ran over.
    case overflow
    /// A fault injected on purpose.
    case injected
    /// The system refused to go on, with its own words.
    case failed(String)
    /// The peer does not take what this end may send over it; another link would not help. A
    /// sentence says what to do.
    case refused(String)
}

extension CloseReason: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .local: "closed by this side"
        case .remote: "closed by the peer, or the peer is gone"
        case .overflow: "more arrived than was taken"
        case .injected: "cut on purpose"
        case .failed(let sentence), .refused(let sentence): sentence
        }
    }

    /// Why a link is of no more use, from what it threw.
    init(_ error: TransportError) {
        self =
            switch error {
            case .closed(let reason): reason
            case .inboundOverflow: .overflow
            case .cancelled: .local
            case .datagramTooLarge, .emptyDatagram: .failed("\(error)")
            }
    }
}
