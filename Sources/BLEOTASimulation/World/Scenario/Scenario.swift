import BLEOTACore

/// All parameters of one run, drawn from one seed.
struct Scenario {
    /// An external event that interrupts a session.
    enum Interruption: Hashable {
        /// The link is lost, together with both machines and all data in flight.
        case cut
        case restartSender
        case restartReceiver
    }

    /// A fault in one frame; the frames in both directions are counted together, from 0.
    struct Anomaly: Hashable {
        enum Kind: Hashable, CaseIterable {
            case drop
            case duplicate
            case truncate
            case delay
            case cut
            case restartSender
            case restartReceiver
        }

        var kind: Kind
        var frame: Int
    }

    /// A power cut during one flash operation; operations are counted from 0.
    struct FlashCut: Hashable {
        var operation: Int
        /// The fraction of the operation that is done before the cut: 0 for none, 1 for all of it.
        var share: Double
    }

    var seed: UInt64
    var imageByteCount = 10_000
    var blockByteCount = 1_024
    var isRequestedByReceiver = false

    /// The maximum length of a frame on the link, as far as the sender knows.
    var frameByteCountMax = 244
    var window = WindowPolicy.automatic
    /// Whether the sender is told, rightly or wrongly, that the link preserves order.
    var claimsOrder = true
    var ringChunkCount = 1_024

    var slotCount = 8
    var controlByteCountMax = ReceiverControl.byteCountMax
    var leavesPaceToSender = false
    /// Whether the receiver serves several peers and therefore ends sessions without progress.
    var limitsProgress = false

    var senderControl = LinkModel(latency: .milliseconds(10))
    var senderData = LinkModel(latency: .milliseconds(10))
    var receiverControl = LinkModel(latency: .milliseconds(10))
    /// The radio that replaces the three links above, with the sender as the central; `nil` for
    /// none.
    var radio: RadioSettings?
    /// Whether data is sent over the radio in requests, each of which waits for its response.
    var isWithResponse = false
    var store = StoreBehavior()
    /// The probability, for each data frame, that one byte of its payload changes and the checksum
    /// does not detect the change.
    var undetectedDamage = 0.0
    /// The delay with which the driver handles a deadline.
    var lateness = Microseconds.zero
    /// The number of queued data datagrams at which the driver stops requesting more.
    var driverQueueMax = Int.max

    var interruptions: [(moment: Instant, kind: Interruption)] = []
    var interruptionPause = Microseconds.milliseconds(200)
    var anomaly: Anomaly?
    var flashCut: FlashCut?
    /// The time at which all faults end. If it is `nil`, they never end, and a failed transfer is
    /// not repeated.
    var healsAt: Instant? = Instant(microseconds: 0)

    init(seed: UInt64) { self.seed = seed }

    var isHealing: Bool { healsAt != nil }
}

// MARK: - Drawing

extension Scenario {
    /// Draws a scenario in which any fault may occur.
    static func drawn(from seed: UInt64) -> Scenario {
        var random = SimulationRandom(seed: seed)
        var scenario = Scenario(seed: seed)
        scenario.drawEnds(&random)
        scenario.drawSizes(&random)
        scenario.drawLinks(&random)
        scenario.drawStore(&random)
        scenario.drawTimes(&random)
        // These values use a separate sequence, so all other values of a seed stay unchanged.
        var flashRandom = SimulationRandom(seed: seed ^ 0xF1A5)
        scenario.drawFlash(&flashRandom)
        scenario.limitsProgress = flashRandom.chance(0.5)
        scenario.drawRadio()
        scenario.fitSlots()
        return scenario
    }

    /// Adds slots until the ring can hold a chunk that begins at the end of its first block.
    private mutating func fitSlots() {
        let chunkByteCount = ChunkSize(fittingFrameOf: frameByteCountMax).byteCount
        while (slotCount - 1) * blockByteCount + 4 < chunkByteCount { slotCount += 1 }
    }

    private mutating func drawEnds(_ random: inout SimulationRandom) {
        frameByteCountMax =
            random.chance(0.3)
            ? random.element([18, 20, 180, 244, 495, 512]) : random.int(18...512)
        window =
            switch random.int(0...9) {
            case 0...4: .automatic
            case 5: .fixed(chunkCount: random.logarithmic(1...64))
            case 6: .fixed(chunkCount: 12)
            case 7: .burst(chunkCount: random.logarithmic(1...64), pause: .untilAcknowledged)
            case 8:
                .burst(
                    chunkCount: random.logarithmic(1...64),
                    pause: .time(.milliseconds(random.int(1...300)))
                )
            default: .fieldRule
            }
        ringChunkCount = 16 << random.int(0...8)
        if random.chance(0.02) { ringChunkCount = 16_384 }
        slotCount = random.chance(0.3) ? 2 : random.int(2...16)
        controlByteCountMax =
            random.chance(0.4)
            ? 18 : min(max(18, frameByteCountMax), ReceiverControl.byteCountMax)
        leavesPaceToSender = random.chance(0.1)
    }

    private mutating func drawSizes(_ random: inout SimulationRandom) {
        blockByteCount = random.element([256, 1_024, 4_096])
        switch random.int(0...99) {
        case 0..<62: imageByteCount = random.logarithmic(1...2_000)
        case 62..<92: imageByteCount = random.int(2_000...16_000)
        case 92..<99: imageByteCount = random.int(16_000...60_000)
        default: imageByteCount = random.int(60_000...200_000)
        }
        if random.chance(0.15) { store.heldPerMille = random.int(1...1_000) }
        if random.chance(0.01) {
            // Nearly all blocks are held, so an ACK skips more chunks than its 16 bits can
            // express.
            imageByteCount = random.int(400_000...1_800_000)
            blockByteCount = 4_096
            store.heldPerMille = 990
            frameByteCountMax = random.element([18, 20, 64])
        }
    }

    /// Whether the sender is controlled by its clock instead of by acknowledgements.
    var isTimed: Bool {
        if case .burst(_, .time) = window { return true }
        return leavesPaceToSender
    }

    private mutating func drawLinks(_ random: inout SimulationRandom) {
        let latency = Microseconds(Int64(random.logarithmic(50...400_000)))
        let isOrdered = random.chance(0.6)
        claimsOrder = random.chance(0.9) ? isOrdered : !isOrdered
        let faultMax = random.element([0, 0, 0.02, 0.05, 0.2])
        let hasPace = random.chance(0.3)
        let stalls: LinkModel.Stalls? =
            random.chance(0.1)
            ? LinkModel.Stalls(
                period: .milliseconds(random.int(2_000...10_000)),
                length: .milliseconds(random.int(50...1_900))
            ) : nil
        func link(_ random: inout SimulationRandom) -> LinkModel {
            var link = LinkModel(latency: latency, isOrdered: isOrdered, stalls: stalls)
            if !isOrdered || random.chance(0.3) {
                link.jitter = Microseconds(Int64(random.int(0...Int(latency.rawValue))))
            }
            for path in [
                \LinkModel.Faults.loss, \.duplication, \.corruption, \.truncation,
            ] where random.chance(0.5) {
                link.faults[keyPath: path] =
                    faultMax * Double(random.int(0...1_000)) / 1_000
            }
            return link
        }
        senderControl = link(&random)
        senderData = link(&random)
        receiverControl = link(&random)
        // Nothing slows a sender with timed bursts. If a slower link queued all its frames, each
        // attempt would wait behind the frames of earlier attempts, and the transfer might never
        // end.
        let hidesQueue = random.chance(0.5) && !isTimed
        if hasPace {
            senderData.pace = LinkModel.Pace(
                interval: Microseconds(Int64(random.int(7_500...100_000))),
                datagramCount: random.int(1...12),
                queueMax: hidesQueue ? 10_000 : random.int(12...100)
            )
        }
        if random.chance(0.08) {
            senderData.sizeLimit = LinkModel.SizeLimit(
                byteCount: random.int(18...frameByteCountMax),
                isCutShort: random.chance(0.5)
            )
        }
        if random.chance(0.1) { driverQueueMax = random.int(1...20) }
    }

    private mutating func drawStore(_ random: inout SimulationRandom) {
        func time(_ scale: Int, _ random: inout SimulationRandom) -> Microseconds {
            random.chance(0.4) ? .zero : Microseconds(Int64(random.logarithmic(1...scale)))
        }
        store.lookUp = time(1_500_000, &random)
        store.write = time(random.chance(0.1) ? 400_000 : 20_000, &random)
        store.sync = time(200_000, &random)
        store.judge = time(3_000_000, &random)
        store.publish = time(4_000_000, &random)
        store.blocksPerSync = random.int(1...8)
        store.unsynced = random.chance(0.5) ? .stays : .goes
        store.keepsPartialManifest = random.chance(0.5)
        if random.chance(0.1) { store.memoryFault = 0.1 }
        if random.chance(0.05) { store.storageFault = 0.5 }
        if random.chance(0.05) { undetectedDamage = 0.01 }
    }

    private mutating func drawFlash(_ random: inout SimulationRandom) {
        if random.chance(0.2) { store.unsynced = .each }
        guard random.chance(0.15) else { return }
        var flash = FlashSettings()
        flash.pageByteCount = random.element([1_024, 4_096])
        flash.erase = Microseconds(Int64(random.logarithmic(1_000...120_000)))
        flash.wordByteCount = random.element([1, 4, 8, 16])
        flash.programWord = Microseconds(Int64(random.int(5...100)))
        flash.erasedAheadPageCount = random.int(0...4)
        if random.chance(0.5) { flash.hashBytesPerSecond = random.logarithmic(20_000...2_000_000) }
        store.flash = flash
        if random.chance(0.5) { store.manifestBlockByteCount = blockByteCount }
    }

    private mutating func drawTimes(_ random: inout SimulationRandom) {
        if random.chance(0.3) { lateness = Microseconds(Int64(random.logarithmic(1...50_000))) }
        let span = random.logarithmic(10_000...60_000_000)
        healsAt =
            random.chance(0.85) ? Instant(microseconds: Int64(random.int(0...span))) : nil
        if random.chance(0.4) {
            for _ in 0..<random.int(1...4) {
                let moment = Instant(microseconds: Int64(random.int(0...span)))
                let kind = random.element([
                    Interruption.cut, .restartSender, .restartReceiver,
                ])
                if let healsAt, moment > healsAt { continue }
                interruptions.append((moment, kind))
            }
        }
        interruptionPause = Microseconds(Int64(random.int(0...2_000_000)))
        if isHealing { isRequestedByReceiver = random.chance(0.15) }
    }
}

// MARK: - Limits

extension Scenario {
    /// The longest time from the end of the faults to the verified image.
    ///
    /// First, a session that cannot recover must be given up. A sender does so after 10 s of
    /// silence or a stall of 60 s, and a receiver requests again after 30 s. Finding a size limit
    /// takes several probe timeouts of up to 5 s. The remaining time is four times the sum of three
    /// parts: the round trips, whose number depends on the smallest of the window, the credit, the
    /// memory and the driver's queue; the transmission at the pace of the link; and the work of the
    /// store.
    var limitAfterHealing: Microseconds {
        let sizeLimit = min(senderData.sizeLimit?.byteCount ?? 512, frameByteCountMax)
        let chunkByteCount =
            senderData.sizeLimit == nil
            ? ChunkSize(fittingFrameOf: sizeLimit).byteCount : ChunkSize.smallest.byteCount
        let byteCount = imageByteCount + manifestByteCount
        let chunkCount = byteCount / chunkByteCount + 2
        let windowChunkCount =
            switch window {
            case .automatic: 4
            case .fixed(let count): count
            case .burst(let count, _): count
            }
        let creditChunkCount = max(slotCount * blockByteCount / chunkByteCount / 2, 1)
        let queueChunkCount = radio?.receiveQueue?.valueCountMax ?? .max
        let ends = min(windowChunkCount, creditChunkCount, driverQueueMax)
        let narrowest = min(ends, queueChunkCount, 16)
        let roundCount = Int64(chunkCount / narrowest + 8)
        let frameByteCount = chunkByteCount + DataFrame.overheadByteCount
        let paceInterval =
            radio?.pace(ofValue: frameByteCount, isRequest: isWithResponse)
            ?? senderData.pace?.interval ?? .zero
        let oneWay =
            radio?.delayMax(ofValue: frameByteCount)
            ?? max(
                senderData.latency + senderData.jitter,
                receiverControl.latency + receiverControl.jitter
            )
        let pause: Microseconds =
            if case .burst(_, .time(let span)) = window { max(span, .milliseconds(100)) } else {
                .milliseconds(100)
            }
        let roundTrip = oneWay * 2 + pause + lateness * 2 + paceInterval
        let rounds = roundTrip.rawValue * roundCount
        let pace = paceInterval.rawValue * Int64(chunkCount / (senderData.pace?.datagramCount ?? 1))
        let blockCount = Int64(byteCount / blockByteCount + 2)
        let stores =
            (store.write + store.sync).rawValue * blockCount
            + (store.lookUp + store.judge + store.publish).rawValue * 4
            + flashTime.rawValue
        // Without credit, frames that exceed the ring are lost, and a timeout must detect each
        // loss.
        let repairs = leavesPaceToSender ? blockCount * 10_000_000 : 0
        return Microseconds(150_000_000 + 4 * (rounds + pace + stores) + repairs)
    }

    /// The time that the flash takes to write everything, and to hash it during lookups and
    /// verification.
    private var flashTime: Microseconds {
        guard let flash = store.flash else { return .zero }
        let byteCount = imageByteCount + manifestByteCount
        return flash.erase * (flash.pageCount(of: byteCount) + 2)
            + flash.programTime(of: byteCount) + flash.hashTime(of: byteCount) * 4
    }

    /// The longest run if the faults never end. A session ends by itself after at most 600 s
    /// without a change, the limit for a busy receiver, and each change may take several
    /// attempts.
    var limitWithoutHealing: Microseconds {
        .seconds(900) + Microseconds(limitAfterHealing.rawValue * 8)
    }

    private var manifestByteCount: Int {
        50 + 16 * ObjectPlan.blockCount(UInt32(imageByteCount), blockByteCount)
    }
}
