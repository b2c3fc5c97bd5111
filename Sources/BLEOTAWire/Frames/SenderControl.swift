/// The control frames that a sender sends and a receiver gets.
public enum SenderControl: Hashable, Sendable, BitwiseCopyable {
    /// Begins a session.
    case open(Open)
    /// Asks for the account now.
    case poll(Poll)
    /// Ends the session.
    case close(Close)
    /// Asks what runs; belongs to no session.
    case query(Query)

    /// Begins a session for one transfer.
    public struct Open: Hashable, Sendable, BitwiseCopyable {
        /// The session this opens.
        public var session: SessionNumber
        /// The size of every chunk of this session but the last of each object.
        public var chunkSize: ChunkSize
        /// The length of object 0: 66 to 33,554,432 bytes.
        public var manifestByteCount: UInt32
        /// Names the transfer, and with it the content of object 0.
        public var tag: TransferTag

        /// The allowed lengths of a manifest.
        public static var manifestByteCounts: ClosedRange<UInt32> { 66...33_554_432 }

        /// Makes the frame.
        ///
        /// - Parameter manifestByteCount: in ``manifestByteCounts``.
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

    /// Asks for the account now.
    public struct Poll: Hashable, Sendable, BitwiseCopyable {
        /// The session the sender is in.
        public var session: SessionNumber
        /// The object the sender believes is being sent.
        public var object: ObjectID
        /// The epoch the sender knows.
        public var epoch: Epoch

        /// Makes the frame.
        ///
        /// - Parameter object: manifest or image.
        public init(session: SessionNumber, object: ObjectID, epoch: Epoch) {
            precondition(object.isTransferred)
            self.session = session
            self.object = object
            self.epoch = epoch
        }
    }

    /// Ends the session.
    public struct Close: Hashable, Sendable, BitwiseCopyable {
        /// The session that ends.
        public var session: SessionNumber
        /// Why; `verified` when RESULT said so.
        public var reason: Reason

        /// Makes the frame.
        public init(session: SessionNumber, reason: Reason) {
            self.session = session
            self.reason = reason
        }
    }

    /// Asks what runs.
    public struct Query: Hashable, Sendable, BitwiseCopyable {
        /// By which the answer is known.
        public var session: SessionNumber

        /// Makes the frame.
        public init(session: SessionNumber) { self.session = session }
    }

    /// The session the frame names, as every frame of a sender does.
    public var session: SessionNumber {
        switch self {
        case .open(let open): open.session
        case .poll(let poll): poll.session
        case .close(let close): close.session
        case .query(let query): query.session
        }
    }
}

extension ObjectID {
    /// Whether this is an object that a session transfers: the manifest or the image.
    public var isTransferred: Bool { self == .manifest || self == .image }
}
