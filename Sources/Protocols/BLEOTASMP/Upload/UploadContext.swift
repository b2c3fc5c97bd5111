import BLEOTACore

/// The data that an upload keeps in every state.
struct UploadContext {
    /// The minimum time without a reply that counts as a loss.
    private static let timeoutMin = Microseconds.seconds(1)
    /// The same minimum over a link that loses messages, where it does less harm to repeat a
    /// message early than to wait.
    private static let timeoutMinUnreliable = Microseconds.milliseconds(300)
    private static let timeoutMax = Microseconds.seconds(8)
    /// The first pause after the device had no room for a request.
    private static let postponement = Microseconds.milliseconds(50)

    let announcement: UploadChunk.Announcement
    let limits: BufferLimits
    let silenceLimit: Microseconds
    let progressLimit: Microseconds
    let isReliable: Bool
    /// The furthest offset that the device has reported over an earlier link.
    private let offsetBefore: Int
    var window: UploadWindow
    private(set) var furthestOffset = 0
    private(set) var requestCount = 0
    private(set) var repeatCount = 0
    private(set) var furthestSent: Int
    private(set) var restartCount = 0
    private var roundTrip: Microseconds?
    private var timeoutCount = 0
    private var postponementCount = 0
    /// When requests may be sent again after the device had no room for one.
    private(set) var postponedUntil: Instant
    private(set) var lastReplyAt: Instant
    private(set) var lastProgressAt: Instant
    private var lastSendAt: Instant

    init(
        _ announcement: UploadChunk.Announcement,
        limits: BufferLimits,
        silenceLimit: Microseconds,
        progressLimit: Microseconds,
        isReliable: Bool,
        after offsetBefore: Int,
        sentBefore: Int,
        at now: Instant
    ) {
        self.announcement = announcement
        self.limits = limits
        self.silenceLimit = silenceLimit
        self.progressLimit = progressLimit
        self.isReliable = isReliable
        self.offsetBefore = offsetBefore
        furthestSent = sentBefore
        window = UploadWindow(limit: limits.requestCountMax)
        lastReplyAt = now
        lastProgressAt = now
        lastSendAt = now
        postponedUntil = now
    }

    var timeoutAt: Instant { max(lastReplyAt, lastSendAt) + timeout }
    var silentAt: Instant { lastReplyAt + max(silenceLimit, Self.timeoutMin * 2) }

    /// Whether the device has less than it had over an earlier link.
    func isLess(_ offset: Int) -> Bool { offset < offsetBefore }

    /// Whether all of the image has been sent.
    var isAllSent: Bool { furthestSent == announcement.imageByteCount }
    var stalledAt: Instant { lastProgressAt + progressLimit }

    /// Four times the round-trip time, doubled with each consecutive timeout.
    private var timeout: Microseconds {
        let least = isReliable ? Self.timeoutMin : Self.timeoutMinUnreliable
        let base = roundTrip.map { max($0 * 4, least) } ?? Self.timeoutMin
        return min(base * (1 << min(timeoutCount, 3)), Self.timeoutMax)
    }

    mutating func noteSent(_ chunk: UploadChunk, at now: Instant) {
        requestCount += 1
        if chunk.end <= furthestSent { repeatCount += 1 }
        furthestSent = max(furthestSent, chunk.end)
        lastSendAt = now
    }

    /// Records that the device has the image up to `offset`.
    mutating func noteFurthest(_ offset: Int, at now: Instant) {
        guard offset > furthestOffset else { return }
        furthestOffset = offset
        lastProgressAt = now
        restartCount = 0
        postponementCount = 0
    }

    /// - Parameter sample: the round-trip time of the request; `nil` if it is not known.
    mutating func noteReply(roundTrip sample: Microseconds?, at now: Instant) {
        lastReplyAt = now
        timeoutCount = 0
        guard let sample else { return }
        // The usual smoothing, by a factor of 1/8 (RFC 6298).
        let smoothed = roundTrip.map { ($0.rawValue * 7 + sample.rawValue) / 8 }
        roundTrip = smoothed.map { Microseconds($0) } ?? sample
    }

    mutating func noteTimeout() {
        timeoutCount += 1
        window.lost()
    }

    /// Records that the device had no room for a request. The next request is sent after a pause,
    /// which doubles each time.
    mutating func postpone(at now: Instant) {
        lastReplyAt = now
        window.lost()
        let pause = Self.postponement * (1 << min(postponementCount, 5))
        postponementCount += 1
        postponedUntil = now + pause
    }

    /// Records that the device has lost the upload.
    ///
    /// - Returns: whether the upload may start over; `false` if it has been lost too often.
    mutating func noteRestart() -> Bool {
        restartCount += 1
        return restartCount <= Uploader.restartCountMax
    }
}
