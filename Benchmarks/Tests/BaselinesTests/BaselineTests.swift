import BLEOTACore
import BLEOTASimulation
import Testing

@testable import Baselines

/// The models of other protocols: that each finishes, as fast as its pattern allows, and does under
/// loss what its description says.
@Suite struct BaselineTests {
    /// What the formulae below are for: 1M, 30 ms, ATT_MTU 247, not encrypted. No answer goes in
    /// the event that brought its question, since a host needs 9.5 ms.
    private static func transfer(_ baseline: Baseline) -> BaselineTransfer {
        var transfer = BaselineTransfer(baseline)
        transfer.radio.phy = .le1M
        transfer.radio.connectionInterval = .milliseconds(30)
        transfer.radio.hostLatency = Microseconds(9_500)
        transfer.imageByteCount = 1 << 18
        return transfer
    }

    private static let interval = 0.030

    /// Bytes of the image in a period, and how many intervals it takes. Without the steps before
    /// the first period and after the last.
    private static func formula(_ baseline: Baseline) -> (byteCount: Double, intervals: Double) {
        switch baseline {
        // 12 exchanges of 2.47 ms fit 30 ms.
        case .rawStream: (12 * 244, 1)
        case .pwTransfer: (12 * 230, 1)
        // Per 100 ms.
        case .fieldRule: (12 * 20, 0.100 / interval)
        // Packets in one event, the receipt in the next.
        case .legacyDFU: (12 * 20, 2)
        // 17 packets. Create, calculate and execute take two each, and calculate's request goes
        // with the last 5 packets; the other 12 fill an event, so that the receipt for them misses
        // the next one.
        case .secureDFUReceipts: (4_096, 2 + 3 + 2 + 2)
        // The same, and the 12 go in an event of their own.
        case .secureDFU: (4_096, 2 + 1 + 2 + 2)
        case .smp1: (219, 2)
        case .smp3: (3 * 219, 2)
        case .smp8: (8 * 219, 2)
        // 18 frames in two events, the acknowledgement in a third.
        case .espSectors: (4_096, 3)
        }
    }

    /// Kilobytes a second that another model gave for the same radio, with a round trip of two
    /// intervals: 512 KiB, 30 ms, 1M, 12 packets of 244 bytes or 44 of 20 in an event.
    private static func otherModel(_ baseline: Baseline) -> Double? {
        switch baseline {
        case .rawStream: 96.0
        case .fieldRule: nil
        case .legacyDFU: 4.0
        case .secureDFUReceipts: 13.7
        case .secureDFU: 17.1
        case .smp1: 3.6
        case .smp3: 10.9
        case .smp8: 29.1
        case .espSectors: 40.0
        case .pwTransfer: 87.8
        }
    }

    @Test("Without loss each finishes, at the rate of its pattern", arguments: Baseline.allCases)
    func rate(baseline: Baseline) throws {
        var transfer = Self.transfer(baseline)
        // What fills the link is over soonest, and its slow start counts longest.
        if Self.formula(baseline).intervals == 1 { transfer.imageByteCount = 1 << 19 }
        let report = try #require(transfer.run())
        #expect(report.restartCount == 0)
        #expect(report.timeoutCount == 0)
        let rate = report.goodputBytesPerSecond
        let (byteCount, intervals) = Self.formula(baseline)
        let share = rate * intervals * Self.interval / byteCount
        print("\(baseline.name): \(Int(rate)) bytes/s, \(share) of the formula")
        // The rest is the beginning and the end.
        #expect(share > 0.93 && share < 1.01)
        guard let other = Self.otherModel(baseline) else { return }
        let ratio = rate / 1_000 / other
        print("\(baseline.name): \(ratio) of the other model")
        #expect(ratio > 0.7 && ratio < 1.3)
    }

    @Test(
        "Each finishes without loss, whatever fits a value and however long the image is",
        arguments: Baseline.allCases,
        [1, 19, 4_096, 4_097, 20_000]
    )
    func sizes(baseline: Baseline, imageByteCount: Int) throws {
        for attMTU in [23, 64, 185, 247, 517] {
            var transfer = BaselineTransfer(baseline)
            transfer.radio.attMTU = attMTU
            transfer.imageByteCount = imageByteCount
            let report = try #require(transfer.run())
            #expect(report.imageByteCount == imageByteCount)
            #expect(report.restartCount == 0 && report.timeoutCount == 0, "\(attMTU)")
            #expect(report.dataFrameCount * (attMTU - 3) >= imageByteCount)
        }
    }

    @Test(
        "The same seed gives the same transfer, and another one another",
        arguments: Baseline.allCases
    )
    func determinism(baseline: Baseline) throws {
        var transfer = Self.transfer(baseline)
        transfer.radio.valueLoss = 0.02
        switch baseline {
        // Every packet has to arrive.
        case .fieldRule, .legacyDFU: transfer.imageByteCount = 1 << 11
        default: transfer.imageByteCount = 1 << 15
        }
        let reports = (1...4).map { seed in
            transfer.seed = UInt64(seed)
            let report = transfer.run()
            #expect(report == transfer.run())
            return report
        }
        #expect(Set(reports).count > 1)
    }

    // MARK: - Under loss

    @Test("What has no repair starts again until a whole image comes, and an hour may not do")
    func restarts() throws {
        // 135 frames, and 205 packets.
        for (baseline, imageByteCount) in [
            (Baseline.rawStream, 1 << 15), (.fieldRule, 1 << 12), (.legacyDFU, 1 << 12),
        ] {
            var transfer = Self.transfer(baseline)
            transfer.imageByteCount = imageByteCount
            transfer.radio.valueLoss = 0.01
            let reports = (1...10).compactMap { seed in
                transfer.seed = UInt64(seed)
                return transfer.run()
            }
            let restartCount = reports.reduce(0) { $0 + $1.restartCount }
            #expect(reports.count == 10 && restartCount > 0, "\(baseline.name)")
            for report in reports {
                // Each cost 100 intervals, 3 s.
                #expect(report.duration >= .seconds(3) * report.restartCount)
            }
            transfer.radio.valueLoss = 0.05
            transfer.timeMax = .seconds(60)
            transfer.imageByteCount = 1 << 16
            #expect(transfer.run() == nil, "\(baseline.name)")
        }
    }

    /// 512 KiB are 2,149 frames: of e^0.21 attempts one succeeds, each of 5.4 s and 3 s more.
    @Test("A raw stream that loses one frame in ten thousand comes near the other model's rate")
    func rawStream() {
        var transfer = Self.transfer(.rawStream)
        transfer.imageByteCount = 1 << 19
        transfer.radio.valueLoss = 1e-4
        let seconds = (1...20).reduce(0.0) { sum, seed in
            transfer.seed = UInt64(seed)
            return sum + Double(transfer.run()?.duration.rawValue ?? 0) / 1e6
        }
        let rate = Double(20 * transfer.imageByteCount) / seconds / 1_000
        print("raw, 1e-4: \(rate) kB/s")
        #expect(abs(rate / 73.3 - 1) < 0.3)
    }

    @Test("Legacy DFU waits in vain for a receipt of twelve packets of which one is lost")
    func legacyReceipt() {
        var lostCount = 0
        let pair = lossy(LegacyDFU.Sender(Self.setup), LegacyDFU.Receiver(Self.setup)) { frame in
            guard case .data(let range) = frame, range.lowerBound == 400 else { return false }
            lostCount += 1
            return lostCount == 1
        }
        #expect(lostCount == 2)
        #expect(pair.sender.counts.restartCount == 1)
        #expect(pair.sender.counts.timeoutCount == 1)
        // Once to packet 24, where the receipt is waited for, and once all of them.
        #expect(pair.dataFrameCount == 24 + 1_000)
        #expect(pair.now > Instant(microseconds: 3_000_000))
    }

    @Test("Secure DFU repeats an object with a wrong checksum, three times at most")
    func secureRepeats() {
        for (lossCount, restartCount) in [(3, 0), (4, 1)] {
            var lostCount = 0
            let sender = SecureDFU.Sender(Self.setup, receiptPacketCount: 0)
            let pair = lossy(sender, SecureDFU.Receiver()) { frame in
                guard case .data(let range) = frame, range.lowerBound == 4_096 + 244 else {
                    return false
                }
                lostCount += 1
                return lostCount <= lossCount
            }
            #expect(lostCount == lossCount + 1)
            #expect(pair.sender.counts.restartCount == restartCount)
            #expect(pair.sender.counts.timeoutCount == 0)
            // 17 packets in each of four objects, of which only the second was repeated; 15 in the
            // last.
            #expect(pair.dataFrameCount == 17 * (4 + lossCount) + 15)
        }
    }

    @Test("Secure DFU with receipts waits in vain for one, and resumes at the object")
    func secureReceipts() {
        var isLost = false
        let sender = SecureDFU.Sender(Self.setup, receiptPacketCount: 12)
        let pair = lossy(sender, SecureDFU.Receiver()) { frame in
            guard case .data(let range) = frame, range.lowerBound == 4_096 else { return false }
            defer { isLost = true }
            return !isLost
        }
        #expect(pair.sender.counts.restartCount == 1)
        #expect(pair.sender.counts.timeoutCount == 1)
        #expect(pair.dataFrameCount == 17 * 4 + 15 + 12)
    }

    @Test("SMP waits for its timeout when nothing else is on its way", arguments: [1, 3, 8])
    func smpTimeout(window: Int) {
        var isLost = false
        // The last request.
        let sender = SMP.Sender(Self.setup, windowRequestCount: window)
        let pair = lossy(sender, SMP.Receiver()) { frame in
            guard case .fragment(let fragment) = frame, fragment.range.upperBound == 20_000 else {
                return false
            }
            defer { isLost = true }
            return !isLost
        }
        #expect(pair.sender.counts.timeoutCount == 1)
        let timeout = Microseconds.milliseconds(window == 8 ? 5_000 : 2_500)
        let without = lossy(SMP.Sender(Self.setup, windowRequestCount: window), SMP.Receiver()) {
            _ in false
        }
        #expect(pair.now - without.now >= timeout - .milliseconds(100))
        #expect(pair.now - without.now <= timeout + .milliseconds(200))
        #expect(pair.dataFrameCount == without.dataFrameCount + 1)
    }

    @Test("SMP with a window goes back when a response asks again, without a timeout")
    func smpGoBack() {
        for isResponseLost in [false, true] {
            var isLost = false
            let sender = SMP.Sender(Self.setup, windowRequestCount: 8)
            let pair = lossy(sender, SMP.Receiver()) { frame in
                switch frame {
                case .fragment(let fragment)
                where fragment.sequence == 20 && !isResponseLost && !isLost:
                    isLost = true
                    return true
                case .response(20, _) where isResponseLost:
                    isLost = true
                    return true
                default: return false
                }
            }
            #expect(isLost)
            #expect(pair.sender.counts.timeoutCount == 0)
            // 92 requests. What followed the lost one is repeated; a lost response costs nothing.
            let repeatedCount = pair.dataFrameCount - 92
            #expect(isResponseLost ? repeatedCount == 0 : (8...9).contains(repeatedCount))
        }
    }

    @Test("A lost fragment of a request makes SMP lose what follows, until its timeout")
    func smpFragments() {
        var radio = Self.radio
        radio.attMTU = 23
        let setup = BaselineSetup(radio, imageByteCount: 20_000)
        var isLost = false
        let sender = SMP.Sender(setup, windowRequestCount: 3)
        let pair = lossy(sender, SMP.Receiver(), radio) { frame in
            guard case .fragment(let fragment) = frame, fragment.sequence == 20 else {
                return false
            }
            defer { isLost = isLost || fragment.index == 5 }
            return fragment.index == 5 && !isLost
        }
        #expect(pair.sender.counts.timeoutCount == 1)
        #expect(pair.now > Instant(microseconds: 2_500_000))
    }

    @Test("ESP repeats a refused sector at once, and hangs on a lost last frame for ten seconds")
    func espSectors() {
        for isTailLost in [false, true] {
            var isLost = false
            let pair = lossy(
                ESPSectors.Sender(Self.setup),
                ESPSectors.Receiver(Self.setup)
            ) { frame in
                guard case .data(let range, let isLast) = frame else { return false }
                guard range.lowerBound / 4_096 == 2, isLast == isTailLost, !isLost else {
                    return false
                }
                isLost = true
                return true
            }
            #expect(isLost)
            #expect(pair.sender.counts.timeoutCount == (isTailLost ? 1 : 0))
            #expect((pair.now > Instant(microseconds: 10_000_000)) == isTailLost)
            // 18 frames a sector, 16 in the last; one sector twice.
            #expect(pair.dataFrameCount == 18 * 5 + 16)
        }
    }

    @Test("pw_transfer goes back to a gap with half the window, and waits if that is lost too")
    func pigweed() {
        for lossCount in [1, 2] {
            var lostCount = 0
            let pair = lossy(
                PigweedTransfer.Sender(Self.setup),
                PigweedTransfer.Receiver(Self.setup)
            ) { frame in
                guard case .data(let range) = frame, range.lowerBound == 30 * 230 else {
                    return false
                }
                lostCount += 1
                return lostCount <= lossCount
            }
            #expect(lostCount == lossCount + 1)
            #expect(pair.dataFrameCount > 87)
            #expect((pair.now > Instant(microseconds: 2_000_000)) == (lossCount == 2))
        }
    }

    @Test("What is stored is the image only if every piece is in its place")
    func receivedImage() {
        var image = ReceivedImage()
        image.append(0..<10)
        image.append(10..<15)
        #expect(image.isWhole(15) && !image.isWhole(16))
        // 5 bytes of the image are missing, and their place is not.
        image.append(20..<25)
        #expect(!image.isIntact && !image.isWhole(20))
        image.append(20..<25)
        #expect(!image.isIntact)
        image.truncate(to: 15)
        #expect(image.isWhole(15))
        image.append(10..<15)
        #expect(!image.isIntact)
    }

    @Test("A model ends with its link")
    func linkLoss() throws {
        var transfer = BaselineTransfer(.rawStream)
        transfer.radio.connectionInterval = .milliseconds(50)
        let supervision = try #require(Supervision(timeout: .milliseconds(420)))
        transfer.radio.supervision = supervision
        transfer.radio.fades = [Fade(start: .milliseconds(300), length: .milliseconds(900))]
        #expect(transfer.run() == nil)
        transfer.radio.fades = [Fade(start: .milliseconds(300), length: .milliseconds(200))]
        #expect(transfer.run() != nil)
    }

    // MARK: - With chosen losses

    private static var radio: RadioSettings { transfer(.rawStream).radio }

    private static var setup: BaselineSetup { BaselineSetup(radio, imageByteCount: 20_000) }

    private func lossy<Sender: BaselineSender, Receiver: BaselineReceiver>(
        _ sender: Sender,
        _ receiver: Receiver,
        _ radio: RadioSettings = Self.radio,
        isLost: (Sender.Frame) -> Bool
    ) -> BaselinePair<Sender, Receiver> where Sender.Frame == Receiver.Frame {
        var pair = BaselinePair(sender, receiver, radio, seed: 1)
        let isOver = pair.run(until: Instant(microseconds: 60_000_000), isLost: isLost)
        #expect(isOver)
        #expect(pair.receiver.image.isWhole(20_000))
        return pair
    }
}
