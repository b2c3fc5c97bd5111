import BLEOTACore

@testable import BLEOTACore

/// A sender's state and context.
final class SenderMachine {
    private(set) var state: SenderState
    private(set) var context: SenderContext
    private let ring: UnsafeMutableBufferPointer<SentChunk>
    var now: Instant {
        get { context.now }
        set { context.now = newValue }
    }

    init(options: SenderOptions = SenderOptions(), image: UInt32 = 100_000) {
        ring = .allocate(capacity: 256)
        ring.initialize(repeating: SentChunk())
        let now = Instant.milliseconds(1_000)
        context = SenderContext(
            now: now,
            transfer: CoreSample.transfer(image: image),
            options: options,
            ring: ring,
            session: CoreSample.session,
            chunkSize: CoreSample.chunkSize,
            frameByteCountMax: 244,
            keepsOrder: options.isLinkOrdered,
            progress: SenderProgress(options: options, at: now)
        )
        state = .opening(.init(context: context))
    }

    deinit { ring.deallocate() }

    var stateName: String { Self.name(of: state) }

    private static func name(of state: borrowing SenderState) -> String {
        switch state {
        case .opening: "opening"
        case .streaming: "streaming"
        case .awaitingResult: "awaitingResult"
        case .discoveringSize: "discoveringSize"
        case .ended: "ended"
        }
    }

    var deadline: Instant? { state.deadline(context: context) }

    /// How the session ended; `nil` before.
    var outcome: SenderOutcome? { state.outcome }

    func acknowledge(_ acknowledgement: Acknowledgement) {
        state.acknowledged(by: acknowledgement, context: &context)
    }

    func busy() { state.busy(context: &context) }

    func result(_ reason: Reason, detail: UInt64 = CoreSample.digestPrefix) {
        state.result(.init(reason: reason, detail: detail), context: &context)
    }

    func echoReply(_ byteCount: UInt16) {
        state.echoReply(
            .init(token: byteCount, byteCount: byteCount),
            context: &context
        )
    }

    func timeout() { state.timeout(context: &context) }

    func abort() { state.abort(.cancelled) }

    /// Lets time pass to the next deadline, and does what is due then.
    func passDeadline() {
        if let deadline { now = max(now, deadline) }
        timeout()
    }

    func pass(_ span: Microseconds) { now = now + span }

    /// Everything it wants to send now.
    func drain() -> [SenderTransmission] {
        var all: [SenderTransmission] = []
        while let next = state.nextTransmission(context: &context) { all.append(next) }
        return all
    }

    /// What it wants to send now, in the words of the specification; several chunks are one word.
    func drainedWords() -> [String] {
        var words: [String] = []
        for transmission in drain() {
            let word =
                switch transmission {
                case .control(.open): "OPEN"
                case .control(.poll): "POLL"
                case .control(.close): "CLOSE"
                case .control(.query): "QUERY"
                case .control(.challenge): "CHALLENGE"
                case .data(let chunk): chunk.isRepeated ? "chunk again" : "chunks"
                case .echo: "echo probes"
                }
            if words.last != word { words.append(word) }
        }
        return words
    }
}
