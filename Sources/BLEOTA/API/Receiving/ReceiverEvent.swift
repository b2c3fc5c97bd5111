/// An event at a receiver, and the peer that caused it.
public struct ReceiverEvent: Sendable, CustomStringConvertible {
    /// The kind of event.
    public enum Kind: Sendable {
        /// The receiver accepts peers at the endpoint with this human-readable name.
        case listening(String)
        /// The manifest is accepted, and the image is received from this byte on.
        case started(Manifest, resumedFromByte: Int)
        /// More of the image is stored. Reported at most ten times a second, except that
        /// completion is always reported.
        case progress(TransferProgress)
        /// The image is verified and current.
        case stored(StoredImage)
        /// The sender offered the image that is already current.
        case alreadyCurrent(StoredImage)
        /// The session ended without a verified image. If the error's refusal is `busy`, the
        /// turn at the store has passed to another peer, and the transfer resumes by itself.
        /// Peers that connect and send nothing cause no event.
        case ended(TransferError)
        /// A served image was sent to the peer, which verified it.
        case served(name: String, TransferReport)
        /// The peer requested a served image, but the session ended without success.
        case servingEnded(name: String, TransferError)
    }

    /// The human-readable name of the peer, such as `process 4711`; for `listening`, the name of
    /// the endpoint.
    public let peer: String
    /// The kind of event.
    public let kind: Kind

    /// Creates an event, for testing code that handles events.
    public init(_ kind: Kind, of peer: String) {
        self.kind = kind
        self.peer = peer
    }

    /// One short line: the kind of event, and the peer in parentheses.
    public var description: String {
        if case .listening = kind { "\(kind)" } else { "\(kind) (\(peer))" }
    }
}

extension ReceiverEvent.Kind: CustomStringConvertible {
    /// One short line, such as `stored: lamp.bin, 262144 bytes`.
    public var description: String {
        switch self {
        case .listening(let place): "listening on \(place)"
        case .started(let manifest, let byte): "started from byte \(byte): \(manifest)"
        case .progress(let progress): "\(progress)"
        case .stored(let image): "stored: \(image)"
        case .alreadyCurrent(let image): "already current: \(image)"
        case .ended(let error): "ended: \(error)"
        case .served(let name, let report): "served \(name): \(report)"
        case .servingEnded(let name, let error): "serving \(name) ended: \(error)"
        }
    }
}
