import BLEOTA
import BLEOTACore

/// A push by SMP over one link after another: passes received messages and the time to the machine,
/// and performs the machine's actions.
struct SMPPush: ReconnectingRun {
    /// Holds the state machine by reference: ``SMPUpdate`` is noncopyable, so a copyable run can't
    /// store it directly.
    private final class Machine {
        var update: SMPUpdate
        init(_ plan: SMPUpdate.Plan) { update = SMPUpdate(plan) }
    }

    private let file: SMPFile
    private let plan: SMPUpdate.Plan
    private let order: PushOrder
    private let onUpdate: @Sendable (PushUpdate) -> Void
    private let startedAt = ContinuousClock.now
    private let clock = MonotonicClock.ofProcess
    private let machine: Machine
    private var meter: ProgressMeter
    private var attMTU = 23
    private var verifiedReport: TransferReport?
    var reconnectionCount = 0

    init(
        _ file: SMPFile,
        _ plan: SMPUpdate.Plan,
        onUpdate: @escaping @Sendable (PushUpdate) -> Void
    ) {
        self.file = file
        self.plan = plan
        self.onUpdate = onUpdate
        order = PushOrder(onUpdate: onUpdate)
        machine = Machine(plan)
        meter = ProgressMeter(totalByteCount: file.file.byteCount)
    }

    // MARK: - Links

    var furthestDurable: TransferPosition? {
        let byteCount = machine.update.counters.furthestOffset
        return byteCount > 0 ? TransferPosition(object: .image, byteCount: UInt64(byteCount)) : nil
    }

    var nextLinkLimit: Duration? {
        machine.update.isRestarting ? .microseconds(plan.restartLimit.rawValue) : nil
    }

    /// Does nothing: a link over UDP or a serial line is up before the device has answered, so
    /// ``once(over:)`` reports the connection when the first message arrives.
    func connected(over _: any SMPLink) {}

    func reconnecting(after error: TransferError) {
        if !machine.update.isRestarting { onUpdate(.reconnecting(error)) }
    }

    func close(_ link: any SMPLink) { link.close(.local) }

    mutating func once(over link: any SMPLink) async throws(TransferError) -> TransferReport {
        attMTU = link.attMTU
        machine.update.linkUp(link.limits, at: clock.now)
        defer { machine.update.linkDown(at: clock.now) }
        var isHeard = false
        while true {
            if let report = try await act(over: link) { return report }
            for packet in try await arrived(over: link) {
                if !isHeard { onUpdate(.connected(attMTU: link.attMTU)) }
                isHeard = true
                try input { update throws(SMPFailure) in
                    try update.received(packet, at: clock.now)
                }
            }
            try input { update throws(SMPFailure) in try update.expire(at: clock.now) }
            tellProgress()
        }
    }

    private func input(
        _ body: (inout SMPUpdate) throws(SMPFailure) -> Void
    ) throws(TransferError) {
        do throws(SMPFailure) {
            try body(&machine.update)
        } catch {
            throw TransferError(smp: error)
        }
    }

    // MARK: - Output

    /// Performs all actions that the machine asks for at this time.
    ///
    /// - Returns: the report, once the update has ended.
    private mutating func act(
        over link: any SMPLink
    ) async throws(TransferError) -> TransferReport? {
        while true {
            let action: SMPUpdate.Action?
            do throws(SMPFailure) {
                action = try machine.update.next(at: clock.now)
            } catch {
                throw TransferError(smp: error)
            }
            switch action {
            case nil: return nil
            case .request(let request, let sequence):
                try await link.send(request.packet(sequence: sequence))
            case .upload(let chunk, let sequence):
                let data = try read(chunk)
                try await link.send(chunk.packet(sequence: sequence, data: data))
            case .note(let note): tell(note)
            case .reconnect(let pause):
                link.close(.local)
                try? await Task.sleep(for: .microseconds(pause.rawValue))
                throw TransferError(.linkLost(.local))
            case .finish(let outcome): return conclude(outcome)
            }
        }
    }

    private func read(_ chunk: UploadChunk) throws(TransferError) -> [UInt8] {
        do throws(FirmwareError) {
            return try file.file.read(at: chunk.offset, byteCount: chunk.byteCount)
        } catch {
            throw TransferError(.source(error))
        }
    }

    /// Waits for messages until the machine's deadline.
    private func arrived(over link: any SMPLink) async throws(TransferError) -> [[UInt8]] {
        let now = clock.now
        let deadline = min(machine.update.deadline ?? .never, now + MonotonicClock.heartbeat)
        let pause = Duration.microseconds(max((deadline - now).rawValue, 0))
        return try await Waiting.first(within: pause) { () throws(TransferError) in
            try await link.receive()
        } ?? []
    }

    // MARK: - Reports

    private mutating func tellProgress() {
        guard let offset = machine.update.deviceOffset else { return }
        let counters = machine.update.counters
        let progress = meter.take(
            durableByteCount: offset,
            dataFramesSent: counters.requestCount,
            dataFramesResent: counters.repeatCount,
            at: clock.now
        )
        if let progress { order.pass(.progress(progress)) }
    }

    private mutating func tell(_ note: SMPUpdate.Note) {
        switch note {
        case .alreadyUploaded:
            onUpdate(.notice("the device already has the image in its second slot"))
        case .resumed(let byteCount):
            onUpdate(.notice("the device has the first \(byteCount) bytes"))
        case .restarted:
            onUpdate(.notice("the device lost what it had received; the upload starts over"))
        case .verified:
            guard verifiedReport == nil else { return }
            let report = report
            verifiedReport = report
            order.verified(report)
        case .withoutTrial:
            onUpdate(
                .notice("the device was already set to run the image for good, without a trial")
            )
        case .resetting: onUpdate(.notice("the device restarts to run the image"))
        case .onTrial: order.pass(.running(.onTrial(runningHash)))
        case .confirmed:
            order.pass(.running(.confirmed(runningHash)))
            if let verifiedReport { order.pass(.confirmed(verifiedReport)) }
        }
    }

    private mutating func conclude(_ outcome: SMPUpdate.Outcome) -> TransferReport {
        let report = report
        if outcome == .alreadyRunning {
            onUpdate(.notice("the device is already running the image"))
        } else if verifiedReport == nil {
            order.verified(report)
        }
        return verifiedReport ?? report
    }

    /// The hash by which the device names its image, truncated or padded to the length of a
    /// SHA-256.
    private var runningHash: [UInt8] {
        Array(plan.imageHash.prefix(32))
            + Array(repeating: 0, count: max(0, 32 - plan.imageHash.count))
    }

    private var report: TransferReport {
        let counters = machine.update.counters
        return TransferReport(
            protocolName: SMPProtocol.name,
            sha256: file.sha256,
            byteCount: file.file.byteCount,
            // A device that was sent nothing already had all of the image.
            resumedFromByte: counters.requestCount == 0
                ? file.file.byteCount : counters.resumedFromByte ?? 0,
            duration: startedAt.duration(to: .now),
            dataFramesSent: counters.requestCount,
            dataFramesResent: counters.repeatCount,
            dataByteCount: counters.dataByteCount,
            chunkByteCount: counters.chunkByteCount,
            attMTU: attMTU,
            reconnectionCount: reconnectionCount
        )
    }
}
