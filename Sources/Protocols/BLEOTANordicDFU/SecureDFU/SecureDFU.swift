import BLEOTACore

/// The state machine that sends one image with Secure DFU.
///
/// ```text
/// receipts ─▶ select init ─▶ create ─▶ stream ─▶ checksum ─▶ execute
///                                                               │
///             select data ◀─────────────────────────────────────┘
///                  │
///                  ├─▶ create ─▶ stream ─▶ checksum ─▶ execute ─▶ finished
///                  │      ▲        ▲           │           │
///                  │      └────────│───────────┴───────────┘ next object, or damage
///                  └───────────────┘ an object that had arrived in part
/// ```
///
/// Over each link, the machine asks how much the device has, and continues from there if the
/// device's checksum matches that of the same bytes here.
struct SecureDFU: DFUMachine, ~Copyable {
    /// The number of times in a row that one object may be repeated because it arrived damaged, or
    /// only in part.
    static let repeatCountMax = 5
    /// How long a device may take to create or execute an object. It may erase flash, or hash a
    /// whole image.
    static let workLimit = Microseconds.seconds(30)
    /// Packets for which no receipt has come for this long may be lost.
    static let quietLimit = Microseconds.seconds(2)

    /// The maximum length of a packet. An ATT_MTU is at most 517 bytes, which leaves 514 for a
    /// packet, and 512 in whole words.
    static let packetByteCountMax = 512

    static let canResume = true

    private var context: SecureContext
    private var state = SecureState.unlinked

    /// - Parameter silenceLimit: how long the device may take to answer a request that needs no
    ///   work on its flash.
    init(_ part: DFUPart, silenceLimit: Microseconds) {
        context = SecureContext(part, silenceLimit: silenceLimit)
    }

    var deviceByteCount: Int { context.deviceByteCount }
    var counters: DFUCounters { context.counters }
    var mayBeFinished: Bool { context.mayBeFinished }

    var isFinished: Bool {
        switch state {
        case .finished: true
        default: false
        }
    }

    /// The number of packets that may be in flight.
    var window: PacketWindow { context.window }

    mutating func linkUp(packetByteCountMax: Int, at now: Instant) {
        context.linkUp(packetByteCountMax: packetByteCountMax, at: now)
        state.linkUp(context: &context, at: now)
    }

    mutating func linkDown(at _: Instant) { state.linkDown(context: &context) }

    mutating func received(_ value: [UInt8], at now: Instant) throws(DFUFailure) {
        guard let response = SecureResponse(value) else { return }
        context.lastNewsAt = now
        try state.received(response, context: &context, at: now)
    }

    mutating func next(at now: Instant) -> DFUAction? {
        if !context.notes.isEmpty { return .note(context.notes.removeFirst()) }
        return state.next(context: &context, at: now)
    }

    var deadline: Instant? { state.deadline(context) }

    mutating func expire(at now: Instant) throws(DFUFailure) {
        try state.expire(context: &context, at: now)
    }
}
