import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// The queues of the hosts at both ends of the modelled radio.
@Suite struct RadioQueueTests {
    private func radio(valueCountMax: Int, timePerValue: Int) throws -> RadioSettings {
        var radio = RadioSettings()
        let queue = try #require(
            ReceiveQueue(
                valueCountMax: valueCountMax,
                timePerValue: .milliseconds(timePerValue)
            )
        )
        radio.receiveQueue = queue
        return radio
    }

    /// 167 of 1,500 values of up to 512 bytes were kept for an application that did not read, by the
    /// socket through which BlueZ 5.66 gives it them. The first is taken here: it is the one that
    /// the application is busy with.
    @Test("Of commands to an application that does not read, those are kept that fit")
    func busyApplication() throws {
        var run = RadioRun(try radio(valueCountMax: 167, timePerValue: 3_600_000))
        run.send(0..<1_500, byteCount: 244, as: .command, from: .central)
        run.run(until: Instant(microseconds: 60_000_000))
        #expect(run.tokens(at: .peripheral) == [0])
        run.run()
        #expect(run.tokens(at: .peripheral) == Array(0...167))
        #expect(run.link.droppedValueCount == 1_500 - 168)
    }

    @Test("An application that is fast enough loses nothing, however short its queue")
    func fastApplication() throws {
        // 21 values in 30 ms.
        var run = RadioRun(try radio(valueCountMax: 1, timePerValue: 1))
        run.send(0..<500, byteCount: 244, as: .command, from: .central)
        run.run()
        #expect(run.tokens(at: .peripheral) == Array(0..<500))
        #expect(run.link.droppedValueCount == 0)
    }

    @Test("Requests are never dropped: each is answered when it is taken")
    func requests() throws {
        var run = RadioRun(try radio(valueCountMax: 1, timePerValue: 100))
        run.send(0..<20, byteCount: 244, as: .request, from: .central)
        run.run()
        #expect(run.tokens(at: .peripheral) == Array(0..<20))
        #expect(run.link.droppedValueCount == 0)
        // 20 of 100 ms each, the first at once.
        #expect(run.now.microseconds > 1_900_000 && run.now.microseconds < 2_500_000)
    }

    @Test("A sender's host takes what its queue has room for, and one more with each that goes")
    func sendQueue() {
        var radio = RadioSettings()
        radio.sendQueueValueCountMax = 12
        var run = RadioRun(radio)
        run.send(0..<20, byteCount: 244, as: .command, from: .central)
        #expect(!run.link.hasRoom)
        #expect(run.link.droppedValueCount == 8)
        run.run()
        #expect(run.link.hasRoom)
        #expect(run.tokens(at: .peripheral) == Array(0..<12))
        #expect(run.link.queuedByteCountMax(at: .central) == 12 * 244)
    }

    @Test("A transfer waits for its host's queue, and loses nothing by it", arguments: [1, 5, 40])
    func boundedSender(valueCountMax: Int) throws {
        var transfer = RadioTransfer()
        transfer.imageByteCount = 1 << 17
        let free = try #require(transfer.run())
        transfer.radio.sendQueueValueCountMax = valueCountMax
        let bounded = try #require(transfer.run())
        #expect(bounded.hostQueueByteCountMax <= valueCountMax * 244)
        #expect(free.hostQueueByteCountMax > 5 * 244)
        let again = bounded.dataFrameCount - (transfer.imageByteCount + 239) / 240
        #expect(again <= 12, "\(again)")
        #expect(valueCountMax < 40 || bounded.duration < free.duration + .milliseconds(500))
    }

    @Test("A transfer to an application that is too slow for the link arrives whole")
    func overflow() throws {
        var transfer = RadioTransfer()
        transfer.imageByteCount = 1 << 17
        transfer.radio = try radio(valueCountMax: 16, timePerValue: 3)
        let report = try #require(transfer.run())
        let chunkCount = (transfer.imageByteCount + 239) / 240
        let share = Double(chunkCount) * 3_000 / Double(report.imageDuration.rawValue)
        print(
            "16 values, 3 ms each: \(report.dataFrameCount) frames for \(chunkCount) chunks, "
                + "\(share) of what the application takes"
        )
        #expect(report.dataFrameCount > chunkCount)
        #expect(share > 0.3)
    }
}
