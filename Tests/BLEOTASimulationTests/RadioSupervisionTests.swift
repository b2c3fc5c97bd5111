import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// Fades on the modelled radio, the supervision timeout, and the next link.
@Suite struct RadioSupervisionTests {
    private static func fade(at start: Int, for length: Int) -> Fade {
        Fade(start: .milliseconds(start), length: .milliseconds(length))
    }

    private static func radio(fades: [Fade], timeout: Int = 420) throws -> RadioSettings {
        var radio = RadioSettings()
        radio.connectionInterval = .milliseconds(50)
        radio.fades = fades
        let supervision = try #require(
            Supervision(
                timeout: .milliseconds(timeout),
                reconnection: .milliseconds(500)
            )
        )
        radio.supervision = supervision
        return radio
    }

    @Test("Only times that the link layer has make a supervision, and more than two intervals")
    func ranges() throws {
        #expect(Supervision(timeout: .milliseconds(99)) == nil)
        #expect(Supervision(timeout: .milliseconds(32_001)) == nil)
        #expect(Supervision(reconnection: Microseconds(-1)) == nil)
        #expect(try Self.radio(fades: [], timeout: 100).isPossible == false)
        #expect(try Self.radio(fades: [], timeout: 101).isPossible)
    }

    @Test("Fades that touch are one")
    func merging() {
        let fades = [
            Self.fade(at: 50, for: 10), Self.fade(at: 0, for: 20), Self.fade(at: 20, for: 5),
            Self.fade(at: 22, for: 1), Self.fade(at: 90, for: 0),
        ]
        #expect(Fade.merged(fades) == [Self.fade(at: 0, for: 25), Self.fade(at: 50, for: 10)])
    }

    /// Linux's timeout of 420 ms took "about 8 consecutive errors" (analogdevicesinc/msdk issue
    /// 1508, intervals of 50 ms and less).
    @Test("Eight events without an answer end a link of 50 ms and 420 ms, seven don't")
    func consecutiveErrors() throws {
        // The event at 1,000 ms is the first that is lost.
        for (lostCount, isLost) in [(7, false), (8, true)] {
            let length = lostCount * 50 - 10
            var run = RadioRun(try Self.radio(fades: [Self.fade(at: 995, for: length)]))
            run.run(until: Instant(microseconds: 3_000_000))
            #expect(run.losses.count == (isLost ? 2 : 0), "\(lostCount)")
            run.send(0..<100, byteCount: 244, as: .command, from: .central)
            run.run()
            #expect(run.tokens(at: .peripheral).count == (isLost ? 0 : 100))
        }
    }

    @Test("Each end loses the link when its own timer ends", arguments: [true, false])
    func ownTimers(isBusy: Bool) throws {
        var run = RadioRun(try Self.radio(fades: [Self.fade(at: 995, for: 2_000)]))
        if isBusy { run.send(0..<100_000, byteCount: 244, as: .command, from: .central) }
        run.run()
        let (first, second) = (run.losses[0], run.losses[1])
        #expect(first.end != second.end)
        if isBusy {
            // Packets went to and fro until one began in the fade; an exchange takes 1,400 µs.
            for loss in [first, second] {
                let heardAt = loss.moment.microseconds - 420_000
                #expect(heardAt > 995_000 - 1_400 && heardAt < 995_000 + 1_400)
            }
            #expect(second.moment > first.moment)
        } else {
            #expect(first.end == .peripheral)
            // An empty packet of 44 µs each way, in the event at 950 ms.
            #expect(first.moment == Instant(microseconds: 950_000 + 44 + 420_000))
            #expect(second.moment == Instant(microseconds: 950_000 + 44 + 150 + 44 + 420_000))
        }
        #expect(run.link.nextMoment == nil && !run.link.isCarrying)
    }

    @Test("A fade that lets one event through in time costs nothing, with data or without")
    func shortFades() throws {
        // Of the events each 50 ms those at 400, 800 and so on come through.
        let fades = (1...20).map { Self.fade(at: $0 * 400 + 10, for: 380) }
        var idle = RadioRun(try Self.radio(fades: fades))
        idle.run(until: Instant(microseconds: 60_000_000))
        #expect(idle.losses.isEmpty)
        var busy = RadioRun(try Self.radio(fades: fades))
        busy.send(0..<2_000, byteCount: 244, as: .command, from: .central)
        busy.run()
        #expect(busy.losses.isEmpty)
        #expect(busy.tokens(at: .peripheral) == Array(0..<2_000))
    }

    @Test("A link that was idle in a fade is not lost by what is sent after it")
    func idleThenBusy() throws {
        var run = RadioRun(try Self.radio(fades: [Self.fade(at: 1_000, for: 300)]))
        run.run(until: Instant(microseconds: 5_000_000))
        run.send(0..<100, byteCount: 244, as: .command, from: .central)
        run.run()
        #expect(run.losses.isEmpty)
        #expect(run.tokens(at: .peripheral).count == 100)
    }

    @Test("Without a supervision timeout a link outlives every fade")
    func unsupervised() throws {
        var radio = try Self.radio(fades: [Self.fade(at: 100, for: 60_000)])
        radio.supervision = nil
        var run = RadioRun(radio)
        run.send(0..<2_000, byteCount: 244, as: .command, from: .central)
        run.run()
        #expect(run.tokens(at: .peripheral) == Array(0..<2_000))
        #expect(run.now > Instant(microseconds: 60_000_000))
    }

    @Test("The next link exchanges the ATT_MTU in two events before values go")
    func exchange() throws {
        let start = Instant(microseconds: 7_000)
        var link = RadioLink<Int>(
            try Self.radio(fades: []),
            connectedAt: start,
            exchangesMTU: true
        )
        var random = SimulationRandom(seed: 1)
        var readyAt: Instant?
        while readyAt == nil, let next = link.nextMoment {
            if case .ready = link.advance(to: next, &random) { readyAt = next }
        }
        // The request in the first event, its response in the next one, and 2 ms.
        let response = try #require(readyAt) - start
        #expect(response > .milliseconds(52) && response < .milliseconds(53))
    }

    @Test(
        "A transfer goes on after each link that a fade ends, with little sent twice",
        arguments: [0, 3],
        [false, true]
    )
    func transfer(bearerCount: Int, isWithResponse: Bool) throws {
        // Over in 2 s, or in 40 s by requests, if nothing were in its way.
        let fades = (0..<4).map { Self.fade(at: 300 + $0 * 2_000, for: 900) }
        var transfer = RadioTransfer()
        transfer.radio = try Self.radio(fades: fades)
        transfer.radio.enhancedBearers = EnhancedBearers(count: max(1, bearerCount))
        if bearerCount == 0 { transfer.radio.enhancedBearers = nil }
        transfer.isWithResponse = isWithResponse
        transfer.imageByteCount = 1 << (isWithResponse ? 16 : 19)
        let report = try #require(transfer.run())
        #expect(report.linkLossCount == 4)
        // Each loss takes its timeout, the rest of the fade and a new beginning.
        let clean = try #require(
            { () -> RadioTransferReport? in
                var clean = transfer
                clean.radio.fades = []
                return clean.run()
            }()
        )
        #expect(clean.linkLossCount == 0)
        #expect(report.duration > clean.duration + .milliseconds(4 * 900))
        if bearerCount == 0 {
            // What was on the way, a block of 4 KiB and two probes: 4,096 bytes are in 19 chunks,
            // and from one account to the answer to the next poll there are 200 ms and 150 of
            // round trip, or seven events of 35 packets.
            let onTheWay = isWithResponse ? 1 : 245
            let again = report.dataFrameCount - clean.dataFrameCount
            #expect(again <= 4 * (onTheWay + 19 + 2), "\(again)")
        }
        let chunkCount = (transfer.imageByteCount + 239) / 240
        print(
            "\(bearerCount) bearers, \(isWithResponse ? "requests" : "commands"), four losses: "
                + "\(report.duration.rawValue / 1_000) ms, \(clean.duration.rawValue / 1_000) "
                + "without; \(report.dataFrameCount) frames, \(clean.dataFrameCount) without, "
                + "\(chunkCount) chunks"
        )
    }

    @Test("A fade during the connecting makes it wait, and one after it costs the next link")
    func fadesInARow() throws {
        var scenario = Scenario(seed: 3)
        scenario.imageByteCount = 60_000
        scenario.blockByteCount = 4_096
        // Lost at 700 ms; the second attempt begins in the second fade, the third is lost again.
        scenario.radio = try Self.radio(fades: [
            Self.fade(at: 200, for: 600), Self.fade(at: 1_000, for: 500),
            Self.fade(at: 1_510, for: 1_000),
        ])
        scenario.healsAt = Instant(microseconds: 60_000_000)
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings.last == .verified)
        #expect(pair.linkLossCount == 2)
    }
}
