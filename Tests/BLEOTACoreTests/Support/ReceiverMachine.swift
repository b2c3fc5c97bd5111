import BLEOTACore

@testable import BLEOTACore

/// A receiver's state and context, without the façade that drops the actions.
final class ReceiverMachine {
    static let session = SessionNumber(20)
    static let previous = SessionNumber(10)
    static let other = SessionNumber(30)
    static let imageByteCount = 3 * 4_096

    let bench = ReceiverBench()
    private(set) var state = ReceiverState.idle
    private(set) var context: ReceiverContext
    var now: Instant {
        get { context.now }
        set { context.now = newValue }
    }

    init() {
        var options = ReceiverOptions()
        options.firstEpoch = Epoch(7)
        context = ReceiverContext(options: options, memory: bench.memory)
        context.now = .milliseconds(1_000)
    }

    var stateName: String {
        switch state.phase(context) {
        case .idle: "idle"
        case .requesting: "requesting"
        case .lookingUp: "lookingUp"
        case .receiving: "receiving"
        case .judging: "judging"
        case .verifying: "verifying"
        case .finished: "finished"
        }
    }

    var deadline: Instant? { state.deadline(context: context) }

    func open(_ session: SessionNumber) -> ReceiverState.OpenAction {
        state.open(
            .init(
                session: session,
                chunkSize: CoreSample.chunkSize,
                manifestByteCount: 500,
                tag: CoreSample.tag
            ),
            context: &context
        )
    }

    func poll(_ session: SessionNumber) -> ReceiverState.PollAction {
        state.poll(
            .init(session: session, object: .image, epoch: Epoch(0)),
            context: &context
        )
    }

    func close(_ session: SessionNumber, _ reason: Reason = .cancelled) -> ReceiverState.CloseAction
    {
        state.close(.init(session: session, reason: reason), context: &context)
    }

    func request() -> Bool {
        state.request(
            .init(session: Self.session, nameTag: CoreSample.tag),
            context: &context
        )
    }

    func giveUp() -> Bool { state.giveUp(because: .cancelled, context: &context) }

    func answer(_ answer: StorageAnswer) -> ReceiverState.AnswerAction {
        state.answer(answer, context: &context)
    }

    func query() { context.tell(SessionNumber(0xABCD)) }
    func echo(token: UInt16, byteCount: Int) { context.echo(token: token, byteCount: byteCount) }

    func timeout() -> ReceiverState.TimeoutAction { state.timeout(context: &context) }

    func data(_ datagram: [UInt8]) -> ReceiverState.DataAction {
        guard let frame = try? DataFrame(decoding: datagram.span.bytes) else { return .dropped }
        return state.data(frame, in: datagram.span.bytes, context: &context)
    }

    /// The frame of a chunk of zeros in the present epoch, or another.
    func chunk(_ index: UInt32, of object: ObjectID = .image, epoch: UInt8? = nil) -> [UInt8] {
        let byteCount = object == .image ? Self.imageByteCount : 500
        let present = state == .receiving ? context.receiving.epoch.rawValue : 0
        return CoreSample.data(
            index,
            of: [UInt8](repeating: 0, count: byteCount),
            header: PseudoHeader(
                session: Self.session,
                object: object,
                epoch: Epoch(epoch ?? present)
            )
        )
    }

    /// Receives an object whole and hands each of its blocks over.
    func receiveWhole(_ object: ObjectID) {
        for index in 0..<UInt32(object == .image ? 52 : 3) { _ = data(chunk(index, of: object)) }
    }

    func pass(_ span: Microseconds) { now = now + span }

    func drainTasks() -> [StorageTask] {
        var all: [StorageTask] = []
        while let next = state.nextTask(context: &context) { all.append(next) }
        return all
    }

    func drain() -> [ReceiverTransmission] {
        var all: [ReceiverTransmission] = []
        while let next = nextTransmission() { all.append(next) }
        return all
    }

    private func nextTransmission() -> ReceiverTransmission? {
        ReceiverTransmission { output in
            context.writeStatelessFrame(into: &output)
                ?? state.writeNextFrame(context: &context, into: &output)
        }
    }

    /// What it sends and asks of its store now, in the words of the specification.
    func drainedWords() -> [String] {
        let frames = drain().map { transmission in
            switch transmission.frame {
            case .request: "REQUEST"
            case .acknowledgement: "ACK"
            case .busy: "BUSY"
            case .result(let result): result.reason == .noSession ? "RESULT *no session*" : "RESULT"
            case .echoReply: "ECHO REPLY"
            case .status: "STATUS"
            }
        }
        let tasks = drainTasks().map { task in
            switch task {
            case .lookUp: "[lookUp]"
            case .write: "[write]"
            case .judge: "[judge]"
            case .publish: "[publish]"
            case .release(let isDiscarding): isDiscarding ? "[discard]" : "[release]"
            }
        }
        return frames + tasks
    }
}
