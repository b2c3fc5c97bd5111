import BLEOTACore

/// The data that a transfer keeps in every state.
struct LegacyContext {
    /// The first window. Adafruit's bootloader has buffers for 8 packets, and Nordic's for at least
    /// as many.
    private static let windowFirst = 8
    private static let windowMin = 2

    let part: DFUPart
    let silenceLimit: Microseconds
    /// How many packets may be in flight. The window never grows, because a lost packet costs the
    /// whole transfer.
    private(set) var window = LegacyContext.windowFirst
    /// How much firmware the device has received over this link.
    var deviceByteCount = 0
    var notes: [DFUNote] = []
    var counters = DFUCounters()
    var lastNewsAt = Instant(microseconds: 0)
    /// The number of times that the device has been asked to reset.
    var resetCount = 0
    /// How long the device took to answer the first Start.
    var startDuration: Microseconds?
    private var lossCount = 0
    private var hasBegun = false

    init(_ part: DFUPart, silenceLimit: Microseconds) {
        self.part = part
        self.silenceLimit = silenceLimit
        counters.resumedFromByte = 0
    }

    /// After how many packets the device sends a receipt.
    var receiptInterval: Int { window / 2 }

    /// How long the device may take to answer Start.
    var startLimit: Microseconds {
        startDuration.map { $0 * 2 + LegacyDFU.forgetLimit } ?? LegacyDFU.workLimit
    }

    mutating func linkUp(at now: Instant) {
        lastNewsAt = now
        deviceByteCount = 0
        if hasBegun { notes.append(.restarted) }
        hasBegun = false
    }

    mutating func noteSent(_ range: Range<Int>) {
        hasBegun = true
        counters.noteFirmware(range)
    }

    /// Records that a part of the image was lost or damaged.
    ///
    /// - Returns: whether to start over.
    mutating func noteLoss() -> Bool {
        lossCount += 1
        window = max(window / 2, Self.windowMin)
        return lossCount <= LegacyDFU.lossCountMax
    }
}
