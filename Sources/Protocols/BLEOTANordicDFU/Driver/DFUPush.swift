import BLEOTA
import BLEOTACore

/// A push of a whole package over one link after another: passes received values and the time to
/// the machine of the image that is being sent, and performs the machine's actions.
struct DFUPush<Machine: DFUMachine & ~Copyable>: ReconnectingRun {
    /// A machine is noncopyable, but a run has to be copyable.
    private final class Box {
        var machine: Machine
        init(_ machine: consuming Machine) { self.machine = machine }
    }

    /// How long a device may take to activate a SoftDevice or a bootloader, and to restart.
    private static var restartLimit: Duration { .seconds(60) }
    /// How long to wait for a restarting device to end the link.
    private static var endLimit: Duration { .seconds(3) }
    /// A push that can't resume starts over on each new link. Up to this number, its starts
    /// count as progress. Otherwise the loss of a second link could end the push.
    private static var beginningCountMax: Int { 10 }

    private let package: DFUPackage
    private let connector: DFUConnector
    private let makeMachine: (DFUPart) -> Machine
    private let order: PushOrder
    private let startedAt = ContinuousClock.now
    private let clock = MonotonicClock.ofProcess
    private var box: Box
    private var partIndex = 0
    /// The number of bytes in the images that the device has taken.
    private var takenByteCount = 0
    /// Counters of the images that the device has taken.
    private var taken = DFUCounters()
    private var furthestByteCount = 0
    private var linkCount = 0
    private var isRestarting = false
    private var meter: ProgressMeter
    private var attMTU = 23
    private var packetByteCount = 20
    var reconnectionCount = 0

    init(
        _ package: DFUPackage,
        through connector: DFUConnector,
        order: PushOrder,
        machine: @escaping (DFUPart) -> Machine
    ) {
        self.package = package
        self.connector = connector
        self.order = order
        makeMachine = machine
        box = Box(machine(package.parts[0]))
        meter = ProgressMeter(totalByteCount: package.firmwareByteCount)
    }

    // MARK: - Links

    var furthestDurable: TransferPosition? {
        let beginningCount = Machine.canResume ? 0 : min(linkCount, Self.beginningCountMax)
        let byteCount = furthestByteCount + beginningCount * package.firmwareByteCount
        return TransferPosition(object: .image, byteCount: UInt64(byteCount))
    }

    var nextLinkLimit: Duration? { isRestarting ? Self.restartLimit : nil }

    func connected(over link: DFULink) {
        order.pass(.connected(attMTU: link.connection.attMTU))
    }

    func reconnecting(after error: TransferError) {
        if !isRestarting { order.pass(.reconnecting(error)) }
    }

    func close(_ link: DFULink) { link.connection.close(.local) }

    mutating func once(over link: DFULink) async throws(TransferError) -> TransferReport {
        isRestarting = false
        linkCount += 1
        // An application instead of a bootloader means that the last image was complete when the
        // link was lost, and that the device has started it.
        if link.role == .bootloader {
            attMTU = link.connection.attMTU
            packetByteCount = min(link.packetByteCountMax, Machine.packetByteCountMax)
            try await send(over: link)
        }
        noteTaken()
        await link.awaitEnd(within: Self.endLimit)
        if partIndex == package.parts.count { return report }
        connector.expectation = .restarted
        isRestarting = true
        throw TransferError(.linkLost(.local))
    }

    /// Sends the next part of the package, or finds that the device does not need it.
    private mutating func send(over link: DFULink) async throws(TransferError) {
        box.machine.linkUp(packetByteCountMax: link.packetByteCountMax, at: clock.now)
        do throws(TransferError) {
            try await exchange(over: link)
        } catch {
            box.machine.linkDown(at: clock.now)
            if error.isOldVersion, partIndex + 1 < package.parts.count {
                let kind = package.parts[partIndex].kind.rawValue
                order.pass(.notice("the package has no \(kind) newer than the device's"))
                return link.connection.close(.local)
            }
            if box.machine.isFinished { return }
            connector.expectation = box.machine.mayBeFinished ? .perhapsFinished : .same
            throw error
        }
    }

    /// Records that the device has this part of the package, or does not need it, and prepares the
    /// next part, if there is one.
    private mutating func noteTaken() {
        taken = taken.adding(box.machine.counters)
        takenByteCount += package.parts[partIndex].firmware.count
        tellProgress(0, taken)
        partIndex += 1
        if partIndex < package.parts.count { box = Box(makeMachine(package.parts[partIndex])) }
    }

    // MARK: - The exchange

    /// Performs the machine's actions until the device has the image.
    private mutating func exchange(over link: DFULink) async throws(TransferError) {
        while !(try await act(over: link)) {
            tellProgress(box.machine.deviceByteCount, taken.adding(box.machine.counters))
            for value in try await arrived(over: link) {
                try input { machine throws(DFUFailure) in
                    try machine.received(value, at: clock.now)
                }
            }
            try input { machine throws(DFUFailure) in try machine.expire(at: clock.now) }
        }
    }

    private func input(
        _ body: (inout Machine) throws(DFUFailure) -> Void
    ) throws(TransferError) {
        do throws(DFUFailure) {
            try body(&box.machine)
        } catch {
            throw TransferError(dfu: error)
        }
    }

    /// Performs all actions that the machine asks for at this time.
    ///
    /// - Returns: whether the device has the image.
    private func act(over link: DFULink) async throws(TransferError) -> Bool {
        while let action = box.machine.next(at: clock.now) {
            switch action {
            case .request(let value): try await link.request(value)
            case .packet(let value): try await link.send(value)
            case .note(let note): order.pass(.notice(note.sentence))
            case .finish: return true
            }
        }
        return false
    }

    /// Waits for answers until the machine's deadline.
    private func arrived(over link: DFULink) async throws(TransferError) -> [[UInt8]] {
        let now = clock.now
        let heartbeat = now + MonotonicClock.heartbeat
        let deadline = min(box.machine.deadline ?? heartbeat, heartbeat)
        let pause = Duration.microseconds(max((deadline - now).rawValue, 0))
        return try await link.receive(within: pause)
    }

    // MARK: - Reports

    /// - Parameter deviceByteCount: how much of this part of the package the device has.
    private mutating func tellProgress(_ deviceByteCount: Int, _ counters: DFUCounters) {
        let byteCount = takenByteCount + deviceByteCount
        furthestByteCount = max(furthestByteCount, byteCount)
        let progress = meter.take(
            durableByteCount: byteCount,
            dataFramesSent: counters.packetCount,
            dataFramesResent: counters.repeatCount,
            at: clock.now
        )
        if let progress { order.pass(.progress(progress)) }
    }

    private var report: TransferReport {
        TransferReport(
            protocolName: NordicDFU.name,
            sha256: package.sha256,
            byteCount: package.firmwareByteCount,
            resumedFromByte: taken.resumedFromByte ?? 0,
            duration: startedAt.duration(to: .now),
            dataFramesSent: taken.packetCount,
            dataFramesResent: taken.repeatCount,
            dataByteCount: taken.byteCount,
            chunkByteCount: packetByteCount,
            attMTU: attMTU,
            reconnectionCount: reconnectionCount
        )
    }
}

extension DFUNote {
    /// The note in words, for the user.
    fileprivate var sentence: String {
        switch self {
        case .resumed(let byteCount): "the device has the first \(byteCount) bytes"
        case .restarted: "the image is sent again from the beginning"
        case .repeated(let byte):
            "part of the firmware was lost on the way; sending again from byte \(byte)"
        }
    }
}
