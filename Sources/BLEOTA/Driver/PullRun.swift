import BLEOTACore

/// One pull over one link or, where links are lost, several.
struct PullRun: ReconnectingRun {
    private let nameTag: TransferTag
    private let store: any ImageStore
    private let policy: ReceivePolicy
    private let options: TransferOptions
    private let onEvent: @Sendable (ReceiveEvent) -> Void
    private let startedAt = ContinuousClock.now
    private var resumedFromByte: Int?
    private(set) var durableByteCount = 0
    private var dataFramesArrived = 0
    private var dataFramesRepeated = 0
    var reconnectionCount = 0

    init(
        _ name: String,
        into store: any ImageStore,
        policy: ReceivePolicy,
        options: TransferOptions,
        onEvent: @escaping @Sendable (ReceiveEvent) -> Void
    ) {
        nameTag = TransferTag(hashing: Array(name.utf8))
        self.store = store
        self.policy = policy
        self.options = options
        self.onEvent = onEvent
    }

    mutating func once(
        over link: any Transport
    ) async throws(TransferError) -> TransferReport {
        let onEvent = onEvent
        let received = StoredImageBox()
        let driver = ReceiveDriver(
            over: link,
            scope: .oneSession,
            silenceLimit: options.silenceLimit
        ) { event in
            received.note(event)
            onEvent(event)
        }
        driver.request(nameTag, session: SessionNumber(.random(in: .min ... .max)))
        let limit = options.progressLimit
        let watch = Task { await Self.awaitStall(received, limit, driver) }
        let ending = await driver.run(into: store, policy: policy)
        watch.cancel()
        let statistics = driver.statistics
        dataFramesArrived += Int(statistics.dataFramesPlaced + statistics.dataFramesRepeated)
        dataFramesRepeated += Int(statistics.dataFramesRepeated)
        durableByteCount = max(durableByteCount, received.durableByteCount)
        resumedFromByte = resumedFromByte ?? received.resumedFromByte
        if await watch.value, case .session(.stalled, nil) = ending { throw .init(.stalled) }
        let stored = try received.conclude(ending)
        return TransferReport(
            sha256: stored.sha256,
            byteCount: stored.byteCount,
            resumedFromByte: resumedFromByte ?? stored.byteCount,
            duration: startedAt.duration(to: .now),
            dataFramesSent: dataFramesArrived,
            dataFramesResent: dataFramesRepeated,
            chunkByteCount: driver.chunkSize?.byteCount ?? 0,
            attMTU: link.limits.attMTU,
            reconnectionCount: reconnectionCount
        )
    }
    /// Ends the session when it has not got on for too long; true if so. The sender has a limit of
    /// its own, but it may be what does not get on.
    private static func awaitStall(
        _ received: StoredImageBox,
        _ limit: Duration,
        _ driver: ReceiveDriver
    ) async -> Bool {
        while !Task.isCancelled {
            let dueAt = received.lastProgress + limit
            if .now >= dueAt {
                driver.giveUp(because: .stalled)
                return true
            }
            try? await Task.sleep(until: dueAt)
        }
        return false
    }
}
