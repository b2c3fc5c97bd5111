import BLEOTACore

/// The state machine that sends one image with Legacy DFU.
///
/// ```text
/// start ─▶ init packet ─▶ streaming ─▶ validation ─▶ activating ─▶ finished
///   │ ▲
///   │ └── new link, after an earlier one was lost
///   └──▶ resetting, if the device is in the middle of another update
/// ```
///
/// The protocol can't resume. Over a new link, and after a loss, the image is sent from its
/// beginning.
struct LegacyDFU: DFUMachine, ~Copyable {
    /// The maximum length of a packet. All devices accept packets of 20 bytes, whatever their
    /// ATT_MTU. Nordic's bootloaders have an ATT_MTU of 23, and InfiniTime, whose ATT_MTU is 256,
    /// accepts only packets of 20 bytes.
    static let packetByteCountMax = 20
    /// How long a device may take for a request that needs work on its flash. It may erase all of
    /// its flash before it answers Start: InfiniTime erases 116 sectors of external flash, which
    /// take up to 0.4 s each, but mostly less than 0.1 s.
    static let workLimit = Microseconds.seconds(30)
    /// How long a device may take to accept another Start: InfiniTime ignores Start for 10 s after
    /// it was left in the middle of an update.
    static let forgetLimit = Microseconds.seconds(12)
    /// The number of times that the image may be sent from its beginning because a part of it was
    /// lost.
    static let lossCountMax = 3
    /// The number of times that a device may be asked to reset.
    static let resetCountMax = 2
    /// How long a device may take to reset.
    static let resetLimit = Microseconds.seconds(5)

    static let canResume = false

    private var context: LegacyContext
    private var state = LegacyState.unlinked

    init(_ part: DFUPart, silenceLimit: Microseconds) {
        context = LegacyContext(part, silenceLimit: silenceLimit)
    }

    var deviceByteCount: Int { context.deviceByteCount }
    var counters: DFUCounters { context.counters }
    /// Always `false`: a device that was asked to start the image is not asked whether it has done
    /// so, because the protocol has no such request.
    var mayBeFinished: Bool { false }

    var isFinished: Bool {
        switch state {
        case .finished: true
        default: false
        }
    }

    mutating func linkUp(packetByteCountMax _: Int, at now: Instant) {
        state.linkUp(context: &context, at: now)
    }

    mutating func linkDown(at _: Instant) {
        state.linkDown()
    }

    mutating func received(_ value: [UInt8], at now: Instant) throws(DFUFailure) {
        guard let message = LegacyMessage.received(value) else { return }
        context.lastNewsAt = now
        try state.received(message, context: &context, at: now)
    }

    mutating func next(at now: Instant) -> DFUAction? {
        if !context.notes.isEmpty { return .note(context.notes.removeFirst()) }
        return state.next(context: &context, at: now)
    }

    var deadline: Instant? { state.deadline(context) }

    mutating func expire(at now: Instant) throws(DFUFailure) {
        guard let deadline, now >= deadline else { return }
        throw state.failure(context: &context)
    }
}
