import BLEOTACore
import BLEOTAHost

@testable import BLEOTACore

/// A receiver by its inner functions.
final class ReceiverMachine {
    static let session = SessionNumber(20)
    static let previous = SessionNumber(10)
    static let other = SessionNumber(30)
    static let imageByteCount = 3 * 4_096

    let bench = ReceiverBench()
    private var receiver: Receiver
    var now: Instant {
        get { receiver.now }
        set { receiver.advance(to: newValue) }
    }

    init() {
        var options = ReceiverOptions()
        options.firstEpoch = Epoch(7)
        receiver = Receiver(options: options, memory: bench.memory)
        receiver.handleTimeout(at: .milliseconds(1_000))
    }

    var stateName: String {
        switch receiver.phase {
        case .idle: "idle"
        case .requesting: "requesting"
        case .lookingUp: "lookingUp"
        case .receiving: "receiving"
        case .judging: "judging"
        case .verifying: "verifying"
        case .finished: "finished"
        }
    }

    var deadline: Instant? { receiver.nextDeadline }

    func open(_ session: SessionNumber) {
        receiver.open(
            .init(
                session: session,
                chunkSize: CoreSample.chunkSize,
                manifestByteCount: 500,
                tag: CoreSample.tag
            )
        )
    }

    func poll(_ session: SessionNumber) {
        receiver.poll(.init(session: session, object: .image, epoch: Epoch(0)))
    }

    func close(_ session: SessionNumber, _ reason: Reason = .cancelled) {
        receiver.close(.init(session: session, reason: reason))
    }

    func request() {
        receiver.request(CoreSample.tag, session: Self.session, at: now)
    }

    func abort() { receiver.abort(.cancelled, at: now) }

    func answer(_ answer: StorageAnswer) {
        receiver.handle(answer, for: receiver.ticket, at: now)
    }

    /// Why a session ended since this was asked last.
    func takeEnding() -> Reason? { receiver.takeEnding() }

    func query() { receiver.answerQuery(SessionNumber(0xABCD)) }
    func challenge(_ challenge: SenderControl.Challenge) {
        receiver.receive(.challenge(challenge), at: now)
    }
    func echo(token: UInt16, byteCount: Int) { receiver.echo(token: token, byteCount: byteCount) }

    func timeout() { receiver.timeout() }

    func data(_ datagram: [UInt8]) -> Receiver.DataAction {
        guard let frame = try? DataFrame(decoding: datagram.span.bytes) else { return .dropped }
        return receiver.data(frame, in: datagram.span.bytes)
    }

    /// The frame of a chunk of zeros in the present epoch, or another.
    func chunk(_ index: UInt32, of object: ObjectID = .image, epoch: UInt8? = nil) -> [UInt8] {
        let byteCount = object == .image ? Self.imageByteCount : 500
        let present = receiver.state == .receiving ? receiver.epoch.rawValue : 0
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
        while let next = receiver.nextTask() { all.append(next) }
        return all
    }

    func drain() -> [ReceiverTransmission] {
        var all: [ReceiverTransmission] = []
        while let next = nextTransmission() { all.append(next) }
        return all
    }

    private func nextTransmission() -> ReceiverTransmission? { receiver.nextTransmission(at: now) }

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
            case .proof: "PROOF"
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
