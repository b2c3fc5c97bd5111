import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// EATT on the modelled radio: bearers over channels with credits.
@Suite struct RadioBearerTests {
    private func radio(
        bearers count: Int,
        segmentByteCountMax: Int = 247,
        creditCount: Int = 3
    ) throws -> RadioSettings {
        var radio = RadioSettings()
        radio.attMTU = 517
        let bearers = try #require(
            EnhancedBearers(
                count: count,
                segmentByteCountMax: segmentByteCountMax,
                creditCount: creditCount
            )
        )
        radio.enhancedBearers = bearers
        return radio
    }

    /// By hand: header 4, length 2, opcode and handle 3.
    @Test("A channel with credits adds a length, which costs a packet at an ATT_MTU of 247")
    func overhead() throws {
        let radio = try radio(bearers: 1)
        func frames(_ valueByteCount: Int) -> [Int] {
            radio.frameByteCounts(ofPDU: valueByteCount + 3, isEnhanced: true)
        }
        #expect(frames(20) == [29])
        #expect(frames(242) == [251])
        #expect(frames(244) == [251, 6])
        #expect(frames(512) == [251, 251, 27])
        #expect(radio.frameByteCounts(ofPDU: 247, isEnhanced: false) == [251])
        #expect(radio.packetCount(ofFrame: 251) == 1)
        var short = try self.radio(bearers: 1, segmentByteCountMax: 64)
        short.hasDataLengthExtension = false
        #expect(
            short.frameByteCounts(ofPDU: 103, isEnhanced: true) == [68, 45]
        )
        #expect(short.packetCount(ofFrame: 68) == 3)
        #expect(short.packetCount(ofFrame: 54) == 2)
    }

    @Test("Only numbers that L2CAP has make bearers", arguments: [0, 6])
    func ranges(count: Int) {
        #expect(EnhancedBearers(count: count) == nil)
        #expect(EnhancedBearers(count: 1, segmentByteCountMax: 63) == nil)
        #expect(EnhancedBearers(count: 1, creditCount: 0) == nil)
        #expect(EnhancedBearers(count: 5, segmentByteCountMax: 64, creditCount: 1) != nil)
    }

    @Test("One bearer keeps the order, several don't, and nothing is lost or doubled")
    func order() throws {
        for count in 0...5 {
            var radio = RadioSettings()
            if count > 0 { radio = try self.radio(bearers: count) }
            var run = RadioRun(radio)
            run.send(0..<200, byteCount: 244, as: .command, from: .central)
            run.send(1_000..<1_200, byteCount: 244, as: .notification, from: .peripheral)
            run.run()
            let arrived = run.tokens(at: .peripheral)
            #expect(arrived.sorted() == Array(0..<200))
            #expect(run.tokens(at: .central).sorted() == Array(1_000..<1_200))
            #expect((arrived == Array(0..<200)) == (count == 0), "\(count)")
        }
    }

    /// As BlueZ 5.66 did with three channels: even the second message overtook the first.
    @Test("A value of two frames is overtaken by the one on the next bearer")
    func overtaking() throws {
        var run = RadioRun(try radio(bearers: 2))
        run.send(0..<1, byteCount: 244, as: .command, from: .central)
        run.send(1..<2, byteCount: 100, as: .command, from: .central)
        run.run()
        #expect(run.tokens(at: .peripheral) == [1, 0])
    }

    @Test("A channel without credit waits for it, and the others go on")
    func credits() throws {
        var run = RadioRun(try radio(bearers: 1, creditCount: 1))
        // Three frames, of which the first has credit; then one on the unenhanced bearer.
        run.send(0..<1, byteCount: 512, as: .command, from: .central)
        run.send(1..<2, byteCount: 20, as: .command, from: .central)
        run.run()
        #expect(run.tokens(at: .peripheral) == [1, 0])
        let moments = run.reports.map(\.moment.microseconds)
        #expect(moments[0] < 30_000)
        // The credit for a frame comes in the next event, and the next frame in the one after it.
        #expect(moments[1] > 120_000 && moments[1] < 130_000)
    }

    @Test("As many requests are on their way as there are bearers", arguments: 1...5)
    func requests(count: Int) throws {
        var radio = try radio(bearers: count)
        radio.connectionInterval = .milliseconds(50)
        // No event goes on for so long; in one that does, responses bring the next requests.
        radio.hostLatency = .milliseconds(20)
        let rate = RadioRun.rate(radio, ofValue: 200, as: .request)
        // The unenhanced bearer takes one as well.
        let ceiling = RadioFormula(radio).requests(200) * Double(count + 1)
        #expect(abs(rate / ceiling - 1) < 0.01, "\(rate / ceiling)")
    }

    @Test("Bearers are encrypted, and what they add costs no more than it must")
    func commands() throws {
        var plain = RadioSettings()
        plain.isEncrypted = true
        let one = RadioRun.rate(plain, ofValue: 242, as: .command)
        let many = RadioRun.rate(try radio(bearers: 3), ofValue: 242, as: .command)
        // Each of three values in four takes 2 bytes more, and sends a frame with credit back: 12
        // bytes with their check, 16·4 µs where an empty packet was.
        let added = 3.0 / 4 * (2 * 4 + 16 * 4)
        let whole = Double(plain.exchangeTime(ofData: 249).rawValue)
        print("three bearers: \(many / one) of one, \(whole / (whole + added)) by air time")
        #expect(abs(many / one / (whole / (whole + added)) - 1) < 0.03)
    }

    @Test(
        "A transfer over bearers that reorder arrives whole, by commands and by requests",
        arguments: [1, 3, 5],
        [false, true]
    )
    func transfer(count: Int, isWithResponse: Bool) throws {
        var scenario = Scenario(seed: 11)
        scenario.imageByteCount = 100_000
        scenario.blockByteCount = 4_096
        scenario.slotCount = 16
        scenario.claimsOrder = false
        scenario.isWithResponse = isWithResponse
        var radio = try radio(bearers: count)
        radio.attMTU = 247
        scenario.radio = radio
        scenario.healsAt = Instant(microseconds: 3_600_000_000)
        let pair = SimulationRun.run(scenario)
        #expect(pair.senderEndings == [.verified])
        let chunkCount = (scenario.imageByteCount + 239) / 240
        // Requests are overtaken by no more than there are bearers; commands by all that waits on
        // the unenhanced one, and a sender takes for lost what is overtaken by much.
        // One probe is for a request whose answer took longer than ever before.
        #expect(
            pair.traffic.imageFrameCount <= (isWithResponse ? chunkCount + 1 : chunkCount * 3 / 2)
        )
        print(
            "\(count) bearers, \(isWithResponse ? "requests" : "commands"): "
                + "\(pair.traffic.imageFrameCount) frames for \(chunkCount) chunks, "
                + "\((pair.verifiedAt?.microseconds ?? 0) / 1_000) ms"
        )
    }
}
