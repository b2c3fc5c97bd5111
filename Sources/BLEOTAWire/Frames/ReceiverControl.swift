/// A control frame from a receiver to a sender.
public enum ReceiverControl: Hashable, Sendable, BitwiseCopyable {
    /// Asks the peer to send an image.
    case request(Request)
    /// Reports the receiver's complete acknowledgement state.
    case acknowledgement(Acknowledgement)
    /// Reports that the receiver temporarily can't accept data.
    case busy(Busy)
    /// Reports how the session ended.
    case result(Result)
    /// Answers an echo probe.
    case echoReply(EchoReply)
    /// Reports the running image.
    case status(Status)
    /// Carries a piece of a signed receipt.
    case proof(Proof)

    /// Asks the peer to send an image.
    public struct Request: Hashable, Sendable, BitwiseCopyable {
        /// The session number that the peer must use in its OPEN.
        public var session: SessionNumber
        /// The first 8 bytes of the SHA-256 of the image's name.
        public var nameTag: TransferTag

        /// Creates a REQUEST.
        public init(session: SessionNumber, nameTag: TransferTag) {
            self.session = session
            self.nameTag = nameTag
        }
    }

    /// Reports that the receiver temporarily can't accept data.
    public struct Busy: Hashable, Sendable, BitwiseCopyable {
        /// The work in progress.
        public var phase: BusyPhase
        /// The object that the work concerns.
        public var object: ObjectID
        /// The epoch of the object.
        public var epoch: Epoch
        /// The estimated remaining time in milliseconds, or 0 if it is unknown.
        public var millisecondsLeft: UInt16

        /// Creates a BUSY.
        ///
        /// - Parameters:
        ///   - phase: the work in progress.
        ///   - object: the manifest or the image.
        ///   - epoch: the epoch of the object.
        ///   - millisecondsLeft: the estimated remaining time, or 0 if it is unknown.
        public init(phase: BusyPhase, object: ObjectID, epoch: Epoch, millisecondsLeft: UInt16) {
            precondition(object.isTransferred)
            self.phase = phase
            self.object = object
            self.epoch = epoch
            self.millisecondsLeft = millisecondsLeft
        }
    }

    /// Reports how the session ended.
    public struct Result: Hashable, Sendable, BitwiseCopyable {
        /// Additional data, whose meaning the registry defines for each reason.
        public var detail: UInt64
        /// The reason: `verified` on success.
        public var reason: Reason

        /// Creates a RESULT.
        public init(reason: Reason, detail: UInt64 = 0) {
            self.reason = reason
            self.detail = detail
        }
    }

    /// Answers an echo probe.
    public struct EchoReply: Hashable, Sendable, BitwiseCopyable {
        /// The token of the probe, 15 bits.
        public var token: UInt16
        /// The length in bytes of the whole probe frame that arrived.
        public var byteCount: UInt16

        /// Creates an ECHO REPLY.
        ///
        /// - Parameters:
        ///   - token: 0 to 32,767.
        ///   - byteCount: 5 to 512.
        public init(token: UInt16, byteCount: UInt16) {
            precondition(token < 0x8000 && (5...512).contains(byteCount))
            self.init(ofProbe: token, byteCount: byteCount)
        }

        /// Creates an ECHO REPLY without range checks, from the values of a decoded
        /// ``DataFrame``.
        package init(ofProbe token: UInt16, byteCount: UInt16) {
            self.token = token
            self.byteCount = byteCount
        }
    }

    /// Reports the running image.
    public struct Status: Hashable, Sendable, BitwiseCopyable {
        /// The first 8 bytes of the SHA-256 of the running image, read as a little-endian
        /// number as in RESULT *verified*, or 0 if it is unknown.
        public var runningTag: UInt64
        /// The state of the image.
        public var state: RunningState

        /// Creates a STATUS.
        public init(state: RunningState, runningTag: UInt64) {
            self.state = state
            self.runningTag = runningTag
        }
    }

    /// Carries a piece of a signed receipt.
    public struct Proof: Hashable, Sendable, BitwiseCopyable {
        /// The position of the piece in the receipt.
        public var offset: UInt8
        /// The piece: no byte if the receiver signs no receipts, or at the end of the receipt.
        public var piece: ReceiptPiece

        /// Creates a PROOF.
        public init(offset: UInt8, piece: ReceiptPiece) {
            self.offset = offset
            self.piece = piece
        }
    }
}
