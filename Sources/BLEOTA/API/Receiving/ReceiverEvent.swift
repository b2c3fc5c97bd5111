/// What a receiver tells the application, and of which peer.
public struct ReceiverEvent: Sendable, CustomStringConvertible {
    /// What happened.
    public enum Kind: Sendable {
        /// Peers can come, at this place.
        case listening(String)
        /// The manifest is accepted, and the image arrives from this byte on.
        case started(Manifest, resumedFromByte: Int)
        /// More is stored. At most ten times a second, and always when all is stored.
        case progress(TransferProgress)
        /// The image is verified and current.
        case stored(StoredImage)
        /// The sender offered what is current already.
        case alreadyCurrent(StoredImage)
        /// The session ended without a verified image.
        case ended(TransferError)
        /// A served image was sent to the peer, which verified it.
        case served(name: String, TransferReport)
        /// A served image was asked for, and the session ended without success.
        case servingEnded(name: String, TransferError)
    }

    /// The peer as people call it, such as `process 4711`; the place itself for `listening`.
    public let peer: String
    /// What happened.
    public let kind: Kind

    /// An event, for tests of what handles events.
    public init(_ kind: Kind, of peer: String) {
        self.kind = kind
        self.peer = peer
    }

    /// One short line.
    public var description: String {
        switch kind {
        case .listening(let place): "listening at \(place)"
        case .started(let manifest, let byte): "started from byte \(byte): \(manifest) (\(peer))"
        case .progress(let progress): "\(progress) (\(peer))"
        case .stored(let image): "stored: \(image) (\(peer))"
        case .alreadyCurrent(let image): "already current: \(image) (\(peer))"
        case .ended(let error): "ended: \(error) (\(peer))"
        case .served(let name, let report): "served \(name): \(report) (\(peer))"
        case .servingEnded(let name, let error): "serving \(name) ended: \(error) (\(peer))"
        }
    }
}
