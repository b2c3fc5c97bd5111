import BLEOTA
import BLEOTACore

/// A push of an image over one link after another: passes received values and the time to the
/// machine, and performs the machine's actions.
struct ESPPush: ReconnectingRun {
    /// A machine is noncopyable, but a run has to be copyable.
    private final class Box {
        var machine: ESPTransfer
        init(_ machine: consuming ESPTransfer) { self.machine = machine }
    }

    /// How long to wait for a restarting device to end the link.
    private static let endLimit = Duration.seconds(3)
    /// A push usually starts over on a new link. Up to this number, its starts count as
    /// progress. Otherwise the loss of a second link could end the push.
    private static let beginningCountMax = 10

    private let image: ESPImage
    private let order: PushOrder
    private let startedAt = ContinuousClock.now
    private let clock = MonotonicClock.ofProcess
    private let box: Box
    private var furthestByteCount = 0
    private var linkCount = 0
    private var meter: ProgressMeter
    private var attMTU = 23
    private var packetByteCount = 20
    var reconnectionCount = 0

    init(_ image: ESPImage, silenceLimit: Microseconds, order: PushOrder) {
        self.image = image
        self.order = order
        box = Box(ESPTransfer(image.bytes, silenceLimit: silenceLimit))
        meter = ProgressMeter(totalByteCount: image.bytes.count)
    }

    // MARK: - Links

    var furthestDurable: TransferPosition? {
        let beginningCount = min(linkCount, Self.beginningCountMax)
        let byteCount = furthestByteCount + beginningCount * image.bytes.count
        return TransferPosition(object: .image, byteCount: UInt64(byteCount))
    }

    var nextLinkLimit: Duration? { nil }

    func connected(over link: ESPLink) {
        order.pass(.connected(attMTU: link.connection.attMTU))
    }

    func reconnecting(after error: TransferError) { order.pass(.reconnecting(error)) }

    func close(_ link: ESPLink) { link.connection.close(.local) }

    mutating func once(over link: ESPLink) async throws(TransferError) -> TransferReport {
        linkCount += 1
        attMTU = link.connection.attMTU
        let abilities = link.abilities
        packetByteCount = ESPSector.firmwareByteCount(inPacketOf: abilities.packetByteCountMax)
        box.machine.linkUp(abilities, at: clock.now)
        do throws(TransferError) {
            try await exchange(over: link)
        } catch {
            let hasEnded = link.connection.closeReason.map { $0 != .local } ?? false
            box.machine.linkDown(hasEnded: hasEnded)
            guard box.machine.isFinished, !Task.isCancelled else { throw error }
            order.pass(
                .notice("the device has every sector, but ended the link before it confirmed this")
            )
        }
        tellProgress()
        await link.awaitEnd(within: Self.endLimit)
        return report
    }

    // MARK: - The exchange

    /// Performs the machine's actions until the device has the image.
    private mutating func exchange(over link: ESPLink) async throws(TransferError) {
        while !(try await act(over: link)) {
            tellProgress()
            for (value, channel) in try await arrived(over: link) {
                try input { machine throws(ESPFailure) in
                    try machine.received(value, from: channel, at: clock.now)
                }
            }
            try input { machine throws(ESPFailure) in try machine.expire(at: clock.now) }
        }
    }

    private func input(
        _ body: (inout ESPTransfer) throws(ESPFailure) -> Void
    ) throws(TransferError) {
        do throws(ESPFailure) {
            try body(&box.machine)
        } catch {
            throw TransferError(esp: error)
        }
    }

    /// Performs all actions that the machine asks for at this time.
    ///
    /// - Returns: whether the device has the image.
    private func act(over link: ESPLink) async throws(TransferError) -> Bool {
        while let action = box.machine.next(at: clock.now) {
            switch action {
            case .command(let value): try await link.send(command: value)
            case .packet(let value, let isRequest):
                try await link.send(packet: value, isRequest: isRequest)
            case .note(let note): order.pass(.notice(note.sentence))
            case .finish: return true
            }
        }
        return false
    }

    /// Waits for answers until the machine's deadline.
    private func arrived(
        over link: ESPLink
    ) async throws(TransferError) -> [(value: [UInt8], channel: ESPMessage.Channel)] {
        let now = clock.now
        let heartbeat = now + MonotonicClock.heartbeat
        let deadline = min(box.machine.deadline ?? heartbeat, heartbeat)
        let pause = Duration.microseconds(max((deadline - now).rawValue, 0))
        return try await link.receive(within: pause)
    }

    // MARK: - Reports

    private mutating func tellProgress() {
        let counters = box.machine.counters
        furthestByteCount = max(furthestByteCount, box.machine.deviceByteCount)
        let progress = meter.take(
            durableByteCount: box.machine.deviceByteCount,
            dataFramesSent: counters.packetCount,
            dataFramesResent: counters.repeatCount,
            at: clock.now
        )
        if let progress { order.pass(.progress(progress)) }
    }

    private var report: TransferReport {
        let counters = box.machine.counters
        return TransferReport(
            protocolName: ESPOTA.name,
            sha256: image.sha256,
            byteCount: image.bytes.count,
            resumedFromByte: 0,
            duration: startedAt.duration(to: .now),
            dataFramesSent: counters.packetCount,
            dataFramesResent: counters.repeatCount,
            dataByteCount: counters.byteCount,
            chunkByteCount: packetByteCount,
            attMTU: attMTU,
            reconnectionCount: reconnectionCount
        )
    }
}

extension ESPNote {
    /// The note in words, for the user.
    fileprivate var sentence: String {
        switch self {
        case .resumed(let byteCount): "the device has the first \(byteCount) bytes"
        case .restarted: "the image is sent again from the beginning"
        case .repeated(let byte):
            "firmware arrived damaged, and is sent again from byte \(byte)"
        case .forgotten: "the device was in the middle of another update, and is told to discard it"
        }
    }
}
