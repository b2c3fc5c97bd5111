import BLEOTACore
import BLEOTAWire

/// Waits until the device at the other end says that it runs an image and keeps it, over links that
/// are made again when they are lost, as when it restarts.
///
/// ```swift
/// let report = try await push(prepared, through: connector)
/// try await awaitRunning(report.sha256, through: connector, limit: .seconds(300))
/// ```
///
/// - Parameters:
///   - sha256: of the image, 32 bytes.
///   - limit: how long to wait.
///   - onChange: called with the first answer and each that differs from the one before.
/// - Throws: a ``TransferError`` with the code `notRunning`, or `cancelled`.
package func awaitRunning(
    _ sha256: [UInt8],
    through connector: any Connector,
    limit: Duration,
    onChange: @Sendable (RunningImage) -> Void = { _ in }
) async throws(TransferError) {
    try await awaitRunning(
        sha256,
        through: connector,
        limit: limit,
        pause: questionPause,
        onChange: onChange
    )
}

/// How long from one question to the next, and for an answer. A device that restarts takes seconds.
private let questionPause = Duration.seconds(1)

/// - Parameter pause: from one question to the next.
func awaitRunning(
    _ sha256: [UInt8],
    through connector: any Connector,
    limit: Duration,
    pause: Duration,
    onChange: @Sendable (RunningImage) -> Void
) async throws(TransferError) {
    var watch = RunningWatch(tag: UInt64(receiptOf: sha256))
    let end = ContinuousClock.now + limit
    var last: RunningImage?
    var silentCount = 0
    while !Task.isCancelled, .now < end {
        do throws(TransferError) {
            let link = try await connector.connect()
            // A link whose peer takes nothing would hold the question for ever.
            let bound = Task { await close(link, at: end) }
            defer {
                bound.cancel()
                link.close(.local)
            }
            while !Task.isCancelled, .now < end {
                let running = try await answer(over: link, pause: pause, &silentCount)
                if running != last { onChange(running) }
                last = running
                switch watch.judge(running) {
                case .confirmed: return
                case .ended(let why): throw TransferError(.notRunning(why))
                case .waiting: try? await Task.sleep(for: pause)
                }
            }
        } catch {
            switch error.problem {
            case .notRunning, .linkLost(.refused): throw error
            default: break
            }
            // It hears, and has never answered: it was made before there was such a question.
            if last == nil, silentCount == 3 { throw TransferError(.notRunning(.unknown)) }
            try? await Task.sleep(for: pause)
        }
    }
    throw TransferError(Task.isCancelled ? .cancelled : .notRunning(.notInTime))
}

/// Counts how often there was none. A device that does not let itself be connected to is not
/// silent: it may be restarting.
private func answer(
    over link: any Transport,
    pause: Duration,
    _ silentCount: inout Int
) async throws(TransferError) -> RunningImage {
    do throws(TransferError) {
        return try await runningImage(over: link, pause: pause)
    } catch {
        if error.problem == .silent { silentCount += 1 }
        throw error
    }
}

private func close(_ link: any Transport, at end: ContinuousClock.Instant) async {
    try? await Task.sleep(until: end)
    if !Task.isCancelled { link.close(.local) }
}

/// Asks the device at the other end of a link what it runs. Nothing else may receive from the link
/// meanwhile.
///
/// - Throws: `silent` where it does not answer for five seconds after its stack took the question,
///   `linkLost`, or `cancelled`. A link that takes nothing is the caller's to close.
package func runningImage(
    over link: any Transport
) async throws(TransferError) -> RunningImage {
    try await runningImage(over: link, pause: questionPause)
}

private func runningImage(
    over link: any Transport,
    pause: Duration
) async throws(TransferError) -> RunningImage {
    let session = SessionNumber(.random(in: .min ... .max))
    let query = SenderControl.query(.init(session: session)).bytes
    // A question may be lost, and so may its answer.
    for _ in 0..<5 {
        do throws(TransportError) {
            try await link.send(query, on: .control, .withResponse)
            if let running = try await answer(to: session, over: link, within: pause) {
                return running
            }
        } catch {
            throw TransferError(error == .cancelled ? .cancelled : .linkLost(CloseReason(error)))
        }
    }
    throw TransferError(.silent)
}

/// The answer, or `nil` where there is none in time.
private func answer(
    to session: SessionNumber,
    over link: any Transport,
    within limit: Duration
) async throws(TransportError) -> RunningImage? {
    let outcome = await withTaskGroup(of: Result<RunningImage?, TransportError>.self) { group in
        group.addTask {
            do throws(TransportError) {
                while true {
                    for datagram in try await link.receive() {
                        if let running = RunningImage(datagram, session) {
                            return .success(running)
                        }
                    }
                }
            } catch {
                return .failure(error)
            }
        }
        group.addTask {
            try? await Task.sleep(for: limit)
            return Result.success(nil)
        }
        let first: Result<RunningImage?, TransportError> = await group.next() ?? .success(nil)
        group.cancelAll()
        return first
    }
    if Task.isCancelled { throw .cancelled }
    return try outcome.get()
}

extension RunningImage {
    /// What STATUS says, if the datagram is one.
    fileprivate init?(_ datagram: Datagram, _ session: SessionNumber) {
        guard datagram.channel == .control,
            case .status(let status)? = try? ReceiverControl(
                decoding: datagram.bytes.span.bytes,
                session: session
            )
        else { return nil }
        self.init(state: status.state, tag: status.runningTag)
    }
}
