import BLEOTACore

/// Radios in drawn worlds.
extension Scenario {
    /// How many worlds have one.
    private static let radioShare = 0.15
    /// What is drawn here is drawn apart, so that a seed without a radio means what it always did.
    private static let radioSeed: UInt64 = 0x5241_4449_4F53

    /// A radio instead of the three links, in some worlds.
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
        // A sender that goes by its clock and not by what arrives has to be held back by its host:
        // what it sends would wait behind all that it sent before.
        if random.chance(0.4) || isTimed { radio.sendQueueValueCountMax = random.int(1...40) }
        if isTimed {
            // Nor can it know that its frames wait there for longer than its silence limit of 10 s,
            // and no answer comes before; so what a queue holds takes half of that at most.
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
        // Where nothing ever heals, a link that is lost by chance every other second promises no
        // end: ten exchanges in a row are damaged once in ten million times.
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
    /// From sending a value to its arrival at most, with nothing ahead of it: its packets in an
    /// event each, and the credit for its frames in one more; an event may have begun, and an
    /// application may have all to take that waits for it.
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

    /// What each value adds to that at most, with as many ahead of it as may be.
    func pace(ofValue byteCount: Int, isRequest: Bool) -> Microseconds {
        let application = receiveQueue?.timePerValue ?? .zero
        var alone = self
        alone.receiveQueue = nil
        // A pause holds up all commands together, and each request.
        if !isRequest { alone.hostPauses = nil }
        let answer = isRequest ? alone.delayMax(ofValue: 0) : .zero
        return max(alone.delayMax(ofValue: byteCount) + answer, application)
    }
}
