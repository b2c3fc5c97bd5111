import BLEOTACore

/// The whole world of one run, drawn from one seed.
struct Scenario {
    /// What happens to a session from outside.
    enum Interruption: Hashable {
        /// The link is lost: both machines go, and what is on the way.
        case cut
        case restartSender
        case restartReceiver
    }

    /// Something that is done to one frame, counted from 0 over both directions.
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

    /// A power cut in one operation of the flash, counted from 0.
    struct FlashCut: Hashable {
        var operation: Int
        /// How much of its time it has had: before 0 nothing is begun, at 1 all is done.
        var share: Double
    }

    var seed: UInt64
    var imageByteCount = 10_000
    var blockByteCount = 1_024
    var isRequestedByReceiver = false

    /// What the sender believes the link carries.
    var frameByteCountMax = 244
    var window = WindowPolicy.automatic
    /// What the sender is told about the order of the link, which may be a lie.
    var claimsOrder = true
    var ringChunkCount = 1_024

    var slotCount = 8
    var controlByteCountMax = ReceiverControl.byteCountMax
    var leavesPaceToSender = false
    /// Whether it serves others, too, and so ends a session that gets no further.
    var limitsProgress = false

    var senderControl = LinkModel(latency: .milliseconds(10))
    var senderData = LinkModel(latency: .milliseconds(10))
    var receiverControl = LinkModel(latency: .milliseconds(10))
    /// A radio to carry everything, instead of the three links above; the sender is its central.
    var radio: RadioSettings?
    /// Whether data goes over the radio in requests, each of which waits for its response.
    var isWithResponse = false
    var store = StoreBehavior()
    /// A payload byte changes, and the checksum does not tell.
    var undetectedDamage = 0.0
    /// By how much the driver is late when a deadline passes.
    var lateness = Microseconds.zero
    /// How many data datagrams may wait before the driver stops asking for more.
    var driverQueueMax = Int.max

    var interruptions: [(moment: Instant, kind: Interruption)] = []
    var interruptionPause = Microseconds.milliseconds(200)
    var anomaly: Anomaly?
    var flashCut: FlashCut?
    /// When all faults end; `nil` if they never do, and then nothing is tried twice.
    var healsAt: Instant? = Instant(microseconds: 0)

    init(seed: UInt64) { self.seed = seed }

    var isHealing: Bool { healsAt != nil }
}

// MARK: - Drawing

extension Scenario {
    /// A world in which anything may happen.
    static func drawn(from seed: UInt64) -> Scenario {
        var random = SimulationRandom(seed: seed)
        var scenario = Scenario(seed: seed)
        scenario.drawEnds(&random)
        scenario.drawSizes(&random)
        scenario.drawLinks(&random)
        scenario.drawStore(&random)
        scenario.drawTimes(&random)
        // From numbers of its own, so that whatever else a seed draws stays what it was.
        var flashRandom = SimulationRandom(seed: seed ^ 0xF1A5)
        scenario.drawFlash(&flashRandom)
        scenario.limitsProgress = flashRandom.chance(0.5)
        scenario.drawRadio()
        scenario.fitSlots()
        return scenario
    }

    /// A ring of blocks is at least as long as a chunk that begins at the end of its first block.
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
            // Nearly all is there: the ACK jumps over more chunks than its 16 bits can tell.
            imageByteCount = random.int(400_000...1_800_000)
            blockByteCount = 4_096
            store.heldPerMille = 990
            frameByteCountMax = random.element([18, 20, 64])
        }
    }

    /// Whether the sender goes by its clock and not by what arrives.
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
        // Nothing slows a timed burst: where a slower link swallows all of it, each attempt waits
        // behind the frames of those before, and no end is promised.
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
    /// The longest time from the moment of healing to a verified image.
    ///
    /// A session that is beyond help is first given up: 10 s for silence, 60 s for a stall, 30 s
    /// until a receiver asks again; finding a size limit takes some probe timeouts of up to 5 s.
    /// Then come four times the round trips that the narrowest of window, credit, memory and what
    /// the driver lets wait asks for, four times what the link's pace allows, and four times what
    /// the store needs.
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
        // Without credit, what the ring has no place for is lost, and found by a timeout.
        let repairs = leavesPaceToSender ? blockCount * 10_000_000 : 0
        return Microseconds(150_000_000 + 4 * (rounds + pace + stores) + repairs)
    }

    /// How long a flash takes to write everything, and to hash it when it is looked up and
    /// verified.
    private var flashTime: Microseconds {
        guard let flash = store.flash else { return .zero }
        let byteCount = imageByteCount + manifestByteCount
        return flash.erase * (flash.pageCount(of: byteCount) + 2)
            + flash.programTime(of: byteCount) + flash.hashTime(of: byteCount) * 4
    }

    /// When faults never heal, a session ends by itself: at the latest when nothing changed for
    /// the 600 s of a busy receiver, and each change takes some tries.
    var limitWithoutHealing: Microseconds {
        .seconds(900) + Microseconds(limitAfterHealing.rawValue * 8)
    }

    private var manifestByteCount: Int {
        50 + 16 * ObjectPlan.blockCount(UInt32(imageByteCount), blockByteCount)
    }
}
