/// How far a sender has got, and since when it gets no further.
///
/// A peer that answers for ever could keep a sender for ever, if every change were progress: it
/// begins one epoch after the other, goes from one object to the other and back, or grants credit
/// and takes it back. So two clocks run. One begins again with *news*: a chunk that was not
/// acknowledged in its epoch before. The other begins again only where the sender gets *further
/// than ever*, whatever was taken back in between: that is the time a receiver has to get again
/// what it lost in a restart, or with a block that was wrong.
struct SenderProgress: BitwiseCopyable {
    private let newsLimit: Microseconds
    private let busyLimit: Microseconds
    private var furthest = FurthestPositions()
    private var lastNews: Instant
    private var furtherSince: Instant
    /// Whether the receiver said since the last news that it is busy.
    private var isBusy = false

    init(options: SenderOptions, at now: Instant) {
        newsLimit = options.progressLimit
        busyLimit = max(options.busyLimit, options.progressLimit)
        lastNews = now
        furtherSince = now
    }

    /// The furthest durable part that an ACK told of; `nil` before the first.
    var durable: TransferPosition? { furthest.durable }

    /// An ACK says this much of an object is acknowledged, and this much durable.
    mutating func reached(
        acknowledged: TransferPosition,
        durable: TransferPosition,
        at now: Instant
    ) {
        guard furthest.reach(acknowledged: acknowledged, durable: durable) else { return }
        furtherSince = now
        gotNews(at: now)
    }

    /// Chunks are acknowledged that were not before in their epoch.
    mutating func gotNews(at now: Instant) {
        lastNews = now
        isBusy = false
    }

    /// The receiver needs time.
    mutating func isBusyNow() { isBusy = true }

    /// When the session ends if nothing changes.
    var deadline: Instant {
        min(lastNews + (isBusy ? busyLimit : newsLimit), furtherSince + busyLimit)
    }
}
