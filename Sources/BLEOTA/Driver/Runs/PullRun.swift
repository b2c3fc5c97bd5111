import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// A pull over one link, or over several if links are lost.
struct PullRun: ReconnectingRun {
    private let nameTag: TransferTag
    private let store: any ImageStore
    private let policy: AcceptancePolicy
    private let options: PushOptions
    private let onEvent: @Sendable (ReceiverEvent.Kind) -> Void
    private let startedAt = ContinuousClock.now
    private var resumedFromByte: Int?
    private(set) var furthestDurable: TransferPosition?
    private var dataFramesArrived = 0
    private var dataFramesRepeated = 0
    var reconnectionCount = 0

    init(
        _ name: String,
        into store: any ImageStore,
        policy: AcceptancePolicy,
        options: PushOptions,
        onEvent: @escaping @Sendable (ReceiverEvent.Kind) -> Void
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
        let received = OutcomeCollector()
        let driver = try ReceiveDriver(
            over: link,
            scope: .oneSession,
            silenceLimit: options.silenceLimit,
            running: policy.running,
            deviceKey: policy.deviceKey
        ) { event in
            received.note(event)
            onEvent(event)
        }
        driver.request(nameTag, session: SessionNumber(.random(in: .min ... .max)))
        let options = options
        let watch = Task { await Self.awaitStall(driver, options) }
        let ending = await driver.run(into: store, policy: policy)
        watch.cancel()
        let statistics = driver.statistics
        dataFramesArrived += Int(statistics.dataFramesPlaced + statistics.dataFramesRepeated)
        dataFramesRepeated += Int(statistics.dataFramesRepeated)
        furthestDurable = .further(of: furthestDurable, received.furthestDurable)
        resumedFromByte = resumedFromByte ?? received.resumedFromByte
        let isStalled = await watch.value
        let stored: StoredImage
        do throws(TransferError) {
            stored = try received.conclude(ending)
        } catch {
            // The error alone doesn't show which end gave up: the peer's CLOSE may carry *stalled*
            // too.
            throw isStalled && error.problem == .refused(.stalled, detail: 0)
                ? TransferError(.stalled) : error
        }
        return TransferReport(
            sha256: stored.sha256,
            byteCount: stored.byteCount,
            encodedByteCount: stored.manifest.imageByteCount,
            compression: stored.manifest.encoding?.compression ?? .none,
            isSealed: stored.manifest.encoding?.isSealed ?? false,
            resumedFromByte: resumedFromByte ?? stored.manifest.imageByteCount,
            duration: startedAt.duration(to: .now),
            dataFramesSent: dataFramesArrived,
            dataFramesResent: dataFramesRepeated,
            dataByteCount: 0,
            chunkByteCount: driver.chunkSize?.byteCount ?? 0,
            attMTU: link.limits.attMTU,
            reconnectionCount: reconnectionCount
        )
    }
    /// Ends the session if there is no progress for too long, and returns whether it has ended
    /// the session. The sender has its own limit, but may itself be stuck.
    ///
    /// Progress means that a new chunk is placed or the receiver enters another state. Until the
    /// peer opens the session, only the silence limit applies.
    private static func awaitStall(
        _ driver: ReceiveDriver,
        _ options: PushOptions
    ) async -> Bool {
        let limit = options.progressLimit
        var last = (driver.phase, driver.statistics.dataFramesPlaced)
        var since = ContinuousClock.now
        while !Task.isCancelled {
            let present = (driver.phase, driver.statistics.dataFramesPlaced)
            if present != last { (last, since) = (present, .now) }
            let allowed: Duration? =
                switch present.0 {
                case .idle, .requesting, .finished: nil
                case .receiving: limit
                case .lookingUp, .judging, .verifying: max(limit, options.busyLimit)
                }
            if let allowed, since.duration(to: .now) >= allowed {
                driver.giveUp(because: .stalled)
                return true
            }
            try? await Task.sleep(for: min(limit / 8, .seconds(1)))
        }
        return false
    }
}
