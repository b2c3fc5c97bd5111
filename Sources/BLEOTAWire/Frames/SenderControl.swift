/// A control frame from a sender to a receiver.
public enum SenderControl: Hashable, Sendable, BitwiseCopyable {
    /// Begins a session.
    case open(Open)
    /// Asks for an immediate ACK.
    case poll(Poll)
    /// Ends the session.
    case close(Close)
    /// Asks which image is running. It belongs to no session.
    case query(Query)
    /// Asks for a piece of a signed receipt. It belongs to no session.
    case challenge(Challenge)

    /// Begins a session for one transfer.
    public struct Open: Hashable, Sendable, BitwiseCopyable {
        /// The session to open.
        public var session: SessionNumber
        /// The size of every chunk in this session, except that the last chunk of an object may
        /// be shorter.
        public var chunkSize: ChunkSize
        /// The length of the manifest, object 0: 66 to 33,554,432 bytes.
        public var manifestByteCount: UInt32
        /// The tag of the transfer, which also identifies the content of object 0.
        public var tag: TransferTag

        /// The valid lengths of a manifest, in bytes.
        public static var manifestByteCounts: ClosedRange<UInt32> { 66...33_554_432 }

        /// Creates an OPEN.
        ///
        /// - Parameters:
        ///   - session: the session to open.
        ///   - chunkSize: the size of every chunk except the last one of an object.
        ///   - manifestByteCount: a length in ``manifestByteCounts``.
        ///   - tag: the tag of the transfer.
        public init(
            session: SessionNumber,
            chunkSize: ChunkSize,
            manifestByteCount: UInt32,
            tag: TransferTag
        ) {
            precondition(Open.manifestByteCounts.contains(manifestByteCount))
            self.session = session
            self.chunkSize = chunkSize
            self.manifestByteCount = manifestByteCount
            self.tag = tag
        }
    }

    /// Asks for an immediate ACK.
    public struct Poll: Hashable, Sendable, BitwiseCopyable {
        /// The current session.
        public var session: SessionNumber
        /// The object of the acknowledgement that the sender last adopted.
        public var object: ObjectID
        /// The epoch of the acknowledgement that the sender last adopted.
        public var epoch: Epoch

        /// Creates a POLL.
        ///
        /// - Parameters:
        ///   - session: the current session.
        ///   - object: the manifest or the image.
        ///   - epoch: the epoch of the acknowledgement that the sender last adopted.
        public init(session: SessionNumber, object: ObjectID, epoch: Epoch) {
            precondition(object.isTransferred)
            self.session = session
            self.object = object
            self.epoch = epoch
        }
    }

    /// Ends the session.
    public struct Close: Hashable, Sendable, BitwiseCopyable {
        /// The session to end.
        public var session: SessionNumber
        /// The reason; `verified` also confirms that RESULT has been received.
        public var reason: Reason

        /// Creates a CLOSE.
        public init(session: SessionNumber, reason: Reason) {
            self.session = session
            self.reason = reason
        }
    }

    /// Asks which image is running.
    public struct Query: Hashable, Sendable, BitwiseCopyable {
        /// A number that matches the STATUS to this QUERY.
        public var session: SessionNumber

        /// Creates a QUERY.
        public init(session: SessionNumber) { self.session = session }
    }

    /// Asks for a piece of a signed receipt.
    public struct Challenge: Hashable, Sendable, BitwiseCopyable {
        /// The random bytes that the signature of the receipt covers.
        public var nonce: ChallengeNonce
        /// A number that matches the PROOF to this CHALLENGE.
        public var session: SessionNumber
        /// The position of the piece in the receipt.
        public var offset: UInt8

        /// Creates a CHALLENGE.
        public init(session: SessionNumber, offset: UInt8, nonce: ChallengeNonce) {
            self.nonce = nonce
            self.session = session
            self.offset = offset
        }
    }

    /// The session in the frame. Every frame from a sender has one.
    public var session: SessionNumber {
        switch self {
        case .open(let open): open.session
        case .poll(let poll): poll.session
        case .close(let close): close.session
        case .query(let query): query.session
        case .challenge(let challenge): challenge.session
        }
    }
}

extension ObjectID {
    /// Whether a session can transfer this object: the manifest or the image.
    public var isTransferred: Bool { self == .manifest || self == .image }
}
