/// An error that a transport reports to its user.
public enum TransportError: Error, Sendable, Hashable {
    /// The link has ended. Every caller gets the same reason.
    case closed(CloseReason)
    /// The datagram exceeds the limit of the link. This is a programming error.
    case datagramTooLarge(byteCount: Int, limit: Int)
    /// The datagram is empty. No link carries an empty datagram, because GATT stacks treat an empty
    /// value as the end of a stream.
    case emptyDatagram
    /// More than `limit` datagrams arrived without being received; the link is closed.
    case inboundOverflow(limit: Int)
    /// The waiting task was cancelled.
    case cancelled
}

/// The reason a link ended. Only the first reason is kept for each link.
public enum CloseReason: Error, Sendable, Hashable {
    /// This side closed the link.
    case local
    /// The peer closed the link, or its process or radio is gone.
    case remote
    /// The queue of incoming datagrams overflowed.
    case overflow
    /// A test injected a fault.
    case injected
    /// The system reported an error, which the string describes.
    case failed(String)
    /// The peer does not permit this side to send over the link, and another link would not
    /// help. The string states what to do.
    case refused(String)
}

extension CloseReason: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .local: "closed by this side"
        case .remote: "closed by the peer, or the peer is gone"
        case .overflow: "more unread data arrived than the link can hold"
        case .injected: "cut on purpose"
        case .failed(let sentence), .refused(let sentence): sentence
        }
    }

    /// The reason a link can't be used after it threw this error.
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
