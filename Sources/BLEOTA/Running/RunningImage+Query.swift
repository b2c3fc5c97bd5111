import BLEOTACore
import BLEOTAWire

/// Waits until the peer reports that it runs an image and keeps it. Lost links are restored,
/// because a device that restarts loses its link.
///
/// ```swift
/// let report = try await push(prepared, through: connector)
/// try await awaitRunning(report.sha256, through: connector, limit: .seconds(300))
/// ```
///
/// - Parameters:
///   - sha256: the SHA-256 of the image, 32 bytes.
///   - connector: establishes the links to the device.
///   - limit: how long to wait.
///   - onChange: called with the first report, and with each later report that differs from the
///     previous one.
/// - Throws: a ``TransferError`` with the code `notRunning` or `cancelled`, or with `linkLost`
///   if the peer refuses the link.
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

/// The pause between queries, and how long to wait for the answer to a query. A device takes
/// seconds to restart.
package let questionPause = Duration.seconds(1)

/// - Parameter pause: the pause between queries, and how long to wait for the answer to a query.
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
            // If the peer accepts no data, the send would never return; closing the link ends
            // it.
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
            // The peer accepts queries but has never answered one, so its release predates
            // QUERY.
            if last == nil, silentCount == 3 { throw TransferError(.notRunning(.unknown)) }
            try? await Task.sleep(for: pause)
        }
    }
    throw TransferError(Task.isCancelled ? .cancelled : .notRunning(.notInTime))
}

/// Queries the device and counts queries without an answer. A device that can't be reached does not
/// count as silent, because it may be restarting.
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

/// Queries the peer about the image that it runs. Nothing else may receive from the link
/// meanwhile.
///
/// - Throws: a ``TransferError`` with the code `silent` if the peer does not answer within five
///   seconds of its stack accepting the query; otherwise with `linkLost` or `cancelled`. If the
///   link accepts no data, this function does not return until the caller closes the link.
package func runningImage(
    over link: any Transport
) async throws(TransferError) -> RunningImage {
    try await runningImage(over: link, pause: questionPause)
}

private func runningImage(
    over link: any Transport,
    pause: Duration
) async throws(TransferError) -> RunningImage {
    let query = SenderControl.query(.init(session: SessionNumber(.random(in: .min ... .max))))
    return try await answer(to: query, over: link, pause: pause) { frame in
        guard case .status(let status) = frame else { return nil }
        return RunningImage(status)
    }
}

extension RunningImage {
    /// The report in STATUS.
    fileprivate init(_ status: ReceiverControl.Status) {
        self.init(state: status.state, tag: status.runningTag)
    }
}

/// Asks the peer a question that belongs to no session, up to five times.
///
/// - Parameters:
///   - pause: how long to wait for the answer before the question is repeated.
///   - read: returns the answer in a frame with the question's session number; `nil` if the frame
///     is not the answer.
/// - Throws: a ``TransferError`` with the code `silent`, `linkLost` or `cancelled`.
func answer<Answer: Sendable>(
    to question: SenderControl,
    over link: any Transport,
    pause: Duration,
    _ read: @escaping @Sendable (ReceiverControl) -> Answer?
) async throws(TransferError) -> Answer {
    // Both a question and its answer may be lost, so the question is repeated.
    for _ in 0..<5 {
        do throws(TransportError) {
            try await link.send(question.bytes, on: .control, .withResponse)
            if let answer = try await firstAnswer(question.session, over: link, within: pause, read)
            {
                return answer
            }
        } catch {
            throw TransferError(error == .cancelled ? .cancelled : .linkLost(CloseReason(error)))
        }
    }
    throw TransferError(.silent)
}

/// The first answer that arrives, or `nil` if none arrives in time.
private func firstAnswer<Answer: Sendable>(
    _ session: SessionNumber,
    over link: any Transport,
    within limit: Duration,
    _ read: @escaping @Sendable (ReceiverControl) -> Answer?
) async throws(TransportError) -> Answer? {
    let outcome = await withTaskGroup(of: Result<Answer?, TransportError>.self) { group in
        group.addTask {
            do throws(TransportError) {
                while true {
                    for datagram in try await link.receive() where datagram.channel == .control {
                        let frame = try? ReceiverControl(
                            decoding: datagram.bytes.span.bytes,
                            session: session
                        )
                        if let frame, let answer = read(frame) { return .success(answer) }
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
        let first: Result<Answer?, TransportError> = await group.next() ?? .success(nil)
        group.cancelAll()
        return first
    }
    if Task.isCancelled { throw .cancelled }
    return try outcome.get()
}
