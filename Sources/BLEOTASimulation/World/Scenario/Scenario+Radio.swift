import BLEOTACore

/// Radios in random scenarios.
extension Scenario {
    /// The fraction of scenarios with a radio.
    private static let radioShare = 0.15
    /// The seed of these draws, which is separate so that seeds without a radio keep their
    /// meaning.
    private static let radioSeed: UInt64 = 0x5241_4449_4F53

    /// Replaces the three links with a radio in some scenarios.
    mutating func drawRadio() {
        var random = SimulationRandom(seed: seed ^ Self.radioSeed)
        guard random.chance(Self.radioShare) else { return }
        var radio = RadioSettings()
        radio.attMTU = max(23, frameByteCountMax + RadioSettings.attHeaderByteCount)
        controlByteCountMax = min(
            controlByteCountMax,
            radio.attMTU - RadioSettings.attHeaderByteCount
        )
        drawLinkLayer(&radio, &random)
        drawQueues(&radio, &random)
        drawFades(&radio, &random)
        claimsOrder = random.chance(0.9) ? radio.isOrdered : !radio.isOrdered
        isWithResponse = random.chance(0.2)
        if random.chance(0.3) {
            radio.hostPauses = HostPauses(
                lengthMax: Microseconds(Int64(random.logarithmic(100...200_000))),
                gapMax: Microseconds(Int64(random.logarithmic(1_000...500_000)))
            )
        }
        self.radio = radio
        let unused = LinkModel(latency: .zero)
        (senderControl, senderData, receiverControl) = (unused, unused, unused)
        driverQueueMax = .max
    }

    private func drawLinkLayer(_ radio: inout RadioSettings, _ random: inout SimulationRandom) {
        radio.phy = random.element(PHY.allCases)
        radio.hasDataLengthExtension = random.chance(0.8)
        radio.isEncrypted = random.chance(0.5)
        if random.chance(0.4) {
            radio.enhancedBearers = EnhancedBearers(
                count: random.int(EnhancedBearers.countRange),
                segmentByteCountMax: random.element([64, 247, 247, 498]),
                creditCount: random.element([1, 2, 3, 3, 10])
            )
        }
        repeat {
            radio.connectionInterval = Microseconds(Int64(random.int(6...80)) * 1_250)
        } while !radio.isPossible
        if random.chance(0.3) { radio.packetCountMax = random.int(1...6) }
        radio.hostLatency = Microseconds(Int64(random.logarithmic(1...20_000)))
        radio.packetErrorRate = random.element([0, 0, 0.01, 0.1])
        radio.valueLoss = random.element([0, 0, 0.01, 0.05])
    }

    private func drawQueues(_ radio: inout RadioSettings, _ random: inout SimulationRandom) {
        // The host must limit a sender with a timed window, which ignores acknowledgements.
        // Otherwise, its frames would be queued behind all earlier ones.
        if random.chance(0.4) || isTimed { radio.sendQueueValueCountMax = random.int(1...40) }
        if isTimed {
            // A sender with a timed window does not notice how long its frames are queued. If that
            // time exceeded its silence limit of 10 s, no answer would arrive in time. Therefore
            // the queue holds frames for at most 5 s.
            let pace = radio.pace(ofValue: frameByteCountMax, isRequest: false)
            let most = max(Int(Microseconds.seconds(5).rawValue / pace.rawValue), 1)
            radio.sendQueueValueCountMax = min(radio.sendQueueValueCountMax, most)
        }
        if random.chance(0.3) {
            radio.receiveQueue = ReceiveQueue(
                valueCountMax: random.logarithmic(1...200),
                timePerValue: Microseconds(Int64(random.logarithmic(1...20_000)))
            )
        }
    }

    private func drawFades(_ radio: inout RadioSettings, _ random: inout SimulationRandom) {
        guard random.chance(0.7) else { return }
        // If the faults never end and the link is lost by chance every other second, the transfer
        // may never complete. A timeout of ten intervals or more prevents this: the probability
        // that ten given exchanges are all damaged is only one in ten million.
        let intervalCount = isHealing || radio.packetErrorRate == 0 ? 2 : 10
        let least = max(
            Supervision.timeoutRange.lowerBound,
            radio.connectionInterval * intervalCount
        )
        let timeout = least + Microseconds(Int64(random.logarithmic(1...6_000_000)))
        radio.supervision = Supervision(
            timeout: timeout,
            reconnection: Microseconds(Int64(random.int(0...2_000_000)))
        )
        let span = random.logarithmic(10_000...60_000_000)
        for _ in 0..<random.int(0...4) {
            radio.fades.append(
                Fade(
                    start: Microseconds(Int64(random.int(0...span))),
                    length: Microseconds(Int64(random.int(0...2 * Int(timeout.rawValue))))
                )
            )
        }
    }
}

// MARK: - Limits

extension RadioSettings {
    /// The longest delay from sending a value to its arrival, with nothing queued ahead. Each
    /// packet may take an event, each frame's credits another one, and one event may already be
    /// in progress. The application may have a full queue to process first.
    func delayMax(ofValue byteCount: Int) -> Microseconds {
        let frames = frameByteCounts(
            ofPDU: byteCount + Self.attHeaderByteCount,
            isEnhanced: enhancedBearers != nil
        )
        let packets = frames.reduce(0) { $0 + packetCount(ofFrame: $1) }
        let eventCount = 1 + packets + (enhancedBearers == nil ? 0 : frames.count)
        let queue = receiveQueue.map { $0.timePerValue * ($0.valueCountMax + 1) } ?? .zero
        let hosts = hostLatency + (hostPauses?.lengthMax ?? .zero)
        return connectionInterval * eventCount + hosts * 2 + queue
    }

    /// The longest additional delay that each value causes when others are queued ahead of it.
    func pace(ofValue byteCount: Int, isRequest: Bool) -> Microseconds {
        let application = receiveQueue?.timePerValue ?? .zero
        var alone = self
        alone.receiveQueue = nil
        // A pause delays all commands together, but each request separately.
        if !isRequest { alone.hostPauses = nil }
        let answer = isRequest ? alone.delayMax(ofValue: 0) : .zero
        return max(alone.delayMax(ofValue: byteCount) + answer, application)
    }
}
