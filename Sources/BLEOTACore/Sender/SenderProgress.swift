/// The progress of a sender, and the times at which it last advanced.
///
/// A peer that always answers could keep a sender busy forever if every change counted as
/// progress. It could begin one epoch after another, alternate between the objects, or grant
/// credit and withdraw it. There are therefore two time limits. One restarts with *news*: a
/// chunk that is acknowledged for the first time in its epoch. The other restarts only when the
/// sender gets *further than ever*, whatever was withdrawn in between. The second limit leaves a
/// receiver time to receive again the data that it lost in a restart or with a wrong block.
struct SenderProgress: BitwiseCopyable {
    private let newsLimit: Microseconds
    private let busyLimit: Microseconds
    private var furthest = FurthestPositions()
    private var lastNews: Instant
    private var furtherSince: Instant
    /// Whether the receiver has sent BUSY since the last news.
    private var isBusy = false

    init(options: SenderOptions, at now: Instant) {
        newsLimit = options.progressLimit
        busyLimit = max(options.busyLimit, options.progressLimit)
        lastNews = now
        furtherSince = now
    }

    /// The furthest durable position in any ACK, or `nil` before the first ACK.
    var durable: TransferPosition? { furthest.durable }

    /// Records the acknowledged and durable positions in an ACK.
    mutating func reached(
        acknowledged: TransferPosition,
        durable: TransferPosition,
        at now: Instant
    ) {
        guard furthest.reach(acknowledged: acknowledged, durable: durable) else { return }
        furtherSince = now
        gotNews(at: now)
    }

    /// Records that chunks were acknowledged for the first time in their epoch.
    mutating func gotNews(at now: Instant) {
        lastNews = now
        isBusy = false
    }

    /// Records that the receiver is busy.
    mutating func isBusyNow() { isBusy = true }

    /// The time at which the session ends if nothing changes.
    var deadline: Instant {
        min(lastNews + (isBusy ? busyLimit : newsLimit), furtherSince + busyLimit)
    }
}
