import BLEOTACore

/// The state machine that sends an image with Espressif's OTA, without I/O and without a clock. It
/// outlives its links.
///
/// ```text
/// start ─▶ streaming ─▶ stop ─▶ finished
///   ▲         ▲   │ damage, silence, or a new link
///   │         │   ▼
/// forget   clear ◀── position
/// ```
///
/// The protocol has no request for the state of the device. But a device answers a sector that it
/// does not expect with the index of the sector that it expects, and drops a sector that ends with
/// a wrong CRC. *Position* and *clear* use this: each is the last packet of a sector, with a wrong
/// CRC. Answers come in order, so once *position* is answered, no answer to an earlier packet is
/// pending.
///
/// The component for Bluedroid does not check the CRC, and stores even these packets. They are
/// therefore sent only after a loss, and the push ends if a device accepts one of them.
///
/// Most devices forget their data when the link is lost or when an update starts. If a device does
/// not, the push relies only on the data that it has sent itself: any other data may be part of
/// another image, so the device is asked to forget it.
///
/// Several sectors are in flight only if the device recommends it. Older devices append a sector
/// that they do not expect to their part of the sector before it.
struct ESPTransfer: ~Copyable {
    /// How long a device may take to answer Start or Stop. It may erase a partition of megabytes
    /// before it answers Start, and verify the image before it answers Stop.
    static let workLimit = Microseconds.seconds(30)
    /// The number of times in a row that a sector may arrive damaged.
    static let repeatCountMax = 5

    /// The abilities of a link for writes to the characteristic for firmware.
    struct LinkAbilities: Hashable {
        /// The maximum length of a written value, at least 20 bytes.
        var packetByteCountMax: Int
        var takesCommands: Bool
        var takesRequests: Bool
    }

    private var context: ESPContext
    private var state = ESPState.unlinked

    init(_ firmware: [UInt8], silenceLimit: Microseconds) {
        context = ESPContext(firmware, silenceLimit: silenceLimit)
    }

    /// The number of bytes that the device is known to have.
    var deviceByteCount: Int { context.byteCount(ofSectors: context.takenSectorCount) }
    var counters: ESPCounters { context.counters }

    /// Whether the device has the whole image, and restarts.
    var isFinished: Bool {
        switch state {
        case .finished: true
        default: false
        }
    }

    mutating func linkUp(_ abilities: LinkAbilities, at now: Instant) {
        context.linkUp(abilities)
        state.linkUp(at: now)
    }

    /// Handles the end of the link.
    ///
    /// - Parameter hasEnded: whether the link ended without being closed by this side.
    mutating func linkDown(hasEnded: Bool) { state.linkDown(hasEnded: hasEnded) }

    /// Handles a notification or an indication from the device.
    mutating func received(
        _ value: [UInt8],
        from channel: ESPMessage.Channel,
        at now: Instant
    ) throws(ESPFailure) {
        guard let message = ESPMessage.received(value, from: channel) else { return }
        try state.received(message, context: &context, at: now)
    }

    /// The next action, or `nil` if there is none before ``deadline`` or the next input.
    mutating func next(at now: Instant) -> ESPAction? {
        if !context.notes.isEmpty { return .note(context.notes.removeFirst()) }
        return state.next(context: &context, at: now)
    }

    /// When ``expire(at:)`` is due; `nil` if nothing is awaited.
    var deadline: Instant? { state.deadline(context) }

    /// Handles the passing of time.
    mutating func expire(at now: Instant) throws(ESPFailure) {
        guard let deadline, now >= deadline else { return }
        try state.expire(at: now)
    }
}
