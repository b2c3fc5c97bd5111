/// The control frames that a receiver sends and a sender gets.
public enum ReceiverControl: Hashable, Sendable, BitwiseCopyable {
    /// Asks the peer to send an object.
    case request(Request)
    /// The receiver's whole account.
    case acknowledgement(Acknowledgement)
    /// The receiver can't take data for a while.
    case busy(Busy)
    /// How the session ended.
    case result(Result)
    /// What arrived of an echo probe.
    case echoReply(EchoReply)
    /// What runs.
    case status(Status)

    /// Asks the peer to send an object.
    public struct Request: Hashable, Sendable, BitwiseCopyable {
        /// The session that the peer's OPEN shall carry.
        public var session: SessionNumber
        /// The first 8 bytes of the SHA-256 of the object's name.
        public var nameTag: TransferTag

        /// Makes the frame.
        public init(session: SessionNumber, nameTag: TransferTag) {
            self.session = session
            self.nameTag = nameTag
        }
    }

    /// The receiver can't take data for a while.
    public struct Busy: Hashable, Sendable, BitwiseCopyable {
        /// What it is at.
        public var phase: BusyPhase
        /// The object it is at it with.
        public var object: ObjectID
        /// Its epoch.
        public var epoch: Epoch
        /// About how long it will take; 0 when it can't tell.
        public var millisecondsLeft: UInt16

        /// Makes the frame.
        ///
        /// - Parameter object: manifest or image.
        public init(phase: BusyPhase, object: ObjectID, epoch: Epoch, millisecondsLeft: UInt16) {
            precondition(object.isTransferred)
            self.phase = phase
            self.object = object
            self.epoch = epoch
            self.millisecondsLeft = millisecondsLeft
        }
    }

    /// How the session ended.
    public struct Result: Hashable, Sendable, BitwiseCopyable {
        /// What the registry says for this reason.
        public var detail: UInt64
        /// `verified`, or why not.
        public var reason: Reason

        /// Makes the frame.
        public init(reason: Reason, detail: UInt64 = 0) {
            self.reason = reason
            self.detail = detail
        }
    }

    /// What arrived of an echo probe.
    public struct EchoReply: Hashable, Sendable, BitwiseCopyable {
        /// The probe's token, 15 bits.
        public var token: UInt16
        /// The length of the whole probe as it arrived.
        public var byteCount: UInt16

        /// Makes the frame.
        ///
        /// - Parameters:
        ///   - token: 0 to 32,767.
        ///   - byteCount: 5 to 512.
        public init(token: UInt16, byteCount: UInt16) {
            precondition(token < 0x8000 && (5...512).contains(byteCount))
            self.init(ofProbe: token, byteCount: byteCount)
        }

        /// Makes the frame, with what a ``DataFrame`` has been seen to have.
        package init(ofProbe token: UInt16, byteCount: UInt16) {
            self.token = token
            self.byteCount = byteCount
        }
    }

    /// What runs.
    public struct Status: Hashable, Sendable, BitwiseCopyable {
        /// The first 8 bytes of the SHA-256 of the image that runs as a little-endian number, as
        /// RESULT *verified* has them; 0 where that is not known.
        public var runningTag: UInt64
        /// What the device says of it.
        public var state: RunningState

        /// Makes the frame.
        public init(state: RunningState, runningTag: UInt64) {
            self.state = state
            self.runningTag = runningTag
        }
    }
}
