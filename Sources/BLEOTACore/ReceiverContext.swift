/// What a receiver keeps over all its states.
struct ReceiverContext: ~Copyable {
    /// What a session is about.
    struct Session {
        var open: SenderControl.Open
        var manifestFailureCount: UInt8 = 0
        var publishFailureCount: UInt8 = 0
    }

    /// What a state waits for the store to answer.
    enum Question: UInt8 {
        case none
        case lookUp
        case judge
        case publish
    }

    // What is used most comes first: there a microcontroller reaches it with shorter instructions.

    /// Whether REQUEST or RESULT has to be said.
    var isFrameDue = false
    /// What the store has to do, in this order: let go of a session, or of two, and then this.
    private var isReleaseDue = false
    private var isDiscardDue = false
    private var question = Question.none
    /// The object that is received, or the one before it.
    var receiving: ReceiverState.Receiving
    private let silenceLimit: Microseconds
    let resultLimit: Microseconds
    /// When the present input happens, which is never before the last one.
    var now = Instant(microseconds: 0)
    /// How a session ended, until the application has been told.
    var ending: Reason?
    /// The present session, or the one before it. Of one that is requested it has the number and,
    /// in place of the transfer's, the tag of the name.
    var session: Session
    /// When the present state has something to do; receiving has timers of its own.
    var timer = ReceiverTimer(until: Instant(microseconds: 0))
    /// After how many microseconds REQUEST is said again, at most two million.
    private var requestPause: UInt32 = 0
    /// How the last session was finished that was.
    var result = ReceiverControl.Result(reason: .verified)
    private var ticketNumber: UInt32 = 0
    /// The session before the present one, whose late OPEN must not bring it back.
    var previousSession: SessionNumber?
    var lastHeard = Instant(microseconds: 0)
    /// Echo probes that were not answered yet; a small ring, because probes come a few at a time.
    private var echoes = InlineArray<8, ReceiverControl.EchoReply>(
        repeating: .init(token: 0, byteCount: 5)
    )
    private var echoCount = 0
    /// Sessions to which a frame belonged that are none here.
    private var stray: (session: SessionNumber, reason: Reason)?
    /// What runs here.
    var running = ReceiverControl.Status(state: .unknown, runningTag: 0)
    /// By which number the last QUERY wants to know its answer.
    private var querySession: SessionNumber?
    var statistics = ReceiverStatistics()

    init(options: ReceiverOptions, memory: ReceiverMemory) {
        silenceLimit = options.silenceLimit
        resultLimit = options.resultLimit
        session = Session(
            open: .init(
                session: .none,
                chunkSize: .smallest,
                manifestByteCount: SenderControl.Open.manifestByteCounts.lowerBound,
                tag: TransferTag(rawValue: 0)
            )
        )
        receiving = ReceiverState.Receiving(options: options, memory: memory)
    }

    var silenceDeadline: Instant { lastHeard + silenceLimit }

    /// The chunk size of the last session.
    var chunkSize: ChunkSize? { ticketNumber > 0 ? session.open.chunkSize : nil }

    // MARK: - REQUEST

    mutating func beginRequest(_ request: ReceiverControl.Request) {
        session.open.session = request.session
        session.open.tag = request.nameTag
        sayRequest(pause: 640_000)
    }

    mutating func requestAgain() {
        sayRequest(pause: min(requestPause &* 2, 2_000_000))
    }

    private mutating func sayRequest(pause: UInt32) {
        requestPause = pause
        timer = ReceiverTimer(until: now + Microseconds(Int64(pause)))
        isFrameDue = true
    }

    // MARK: - Tasks

    /// The ticket of all tasks of the present session.
    var ticket: StorageTicket { StorageTicket(number: ticketNumber) }

    /// From here on, answers to earlier tasks are ignored.
    mutating func beginSession(_ open: SenderControl.Open) {
        ticketNumber &+= 1
        session = Session(open: open)
        lastHeard = now
    }

    /// Asks for something other than a block to be written; the session's state waits for it, so
    /// that there is one at most.
    mutating func ask(_ question: Question) { self.question = question }

    /// Drops what was asked for on behalf of a session that ends, and asks to let go of it.
    ///
    /// A store that is late finds one release for all sessions that it has not begun with, or two:
    /// one that forgets and before it one that does not.
    mutating func askForRelease(discarding: Bool) {
        question = .none
        if discarding {
            isDiscardDue = true
        } else if !isDiscardDue {
            isReleaseDue = true
        }
    }

    /// Whether the store has to let go of a session.
    var hasRelease: Bool { isReleaseDue || isDiscardDue }

    var hasTask: Bool { hasRelease || question != .none }

    mutating func nextTask() -> StorageTask? {
        if hasRelease {
            // The one that forgets is the later one.
            let isDiscarding = !isReleaseDue
            if isDiscarding { isDiscardDue = false } else { isReleaseDue = false }
            return .release(discarding: isDiscarding)
        }
        let question = question
        self.question = .none
        switch question {
        case .none: return nil
        case .lookUp:
            return .lookUp(session.open.tag, manifestByteCount: session.open.manifestByteCount)
        case .judge: return .judge
        case .publish: return .publish
        }
    }

    // MARK: - Answers outside any session

    //= ECHO-1: A receiver MUST answer an echo probe with a right checksum, in any state, with ECHO
    //= REPLY: its token and the byte count of the whole frame.
    mutating func echo(token: UInt16, byteCount: Int) {
        guard echoCount < echoes.count else { return }
        echoes[echoCount] = .init(token: token, byteCount: UInt16(byteCount))
        echoCount += 1
    }

    /// - Parameter reason: `version` or `noSession`.
    mutating func answerStray(_ session: SessionNumber, _ reason: Reason) {
        stray = (session, reason)
    }

    mutating func tell(_ session: SessionNumber) { querySession = session }

    /// The next answer that belongs to no state.
    var hasStatelessTransmission: Bool {
        stray != nil || querySession != nil || echoCount > 0
    }

    mutating func writeStatelessFrame(into output: inout MutableRawSpan) -> WrittenFrame? {
        if let (session, reason) = stray {
            stray = nil
            let detail = reason == .version ? ProtocolVersion.resultDetail : 0
            let result = ReceiverControl.Result(reason: reason, detail: detail)
            return WrittenFrame(
                session: session,
                byteCount: result.encode(session: session, into: &output)
            )
        }
        if let session = querySession.take() {
            return WrittenFrame(
                session: session,
                byteCount: running.encode(session: session, into: &output)
            )
        }
        guard echoCount > 0 else { return nil }
        echoCount -= 1
        return WrittenFrame(
            session: .none,
            byteCount: echoes[echoCount].encode(into: &output)
        )
    }
}
