import BLEOTACore
import Testing

@testable import BLEOTASimulation

/// The timeline of a transfer over a modelled radio.
@Suite struct TimelineTests {
    private func report(valueLoss: Double, keepsTimeline: Bool) throws -> RadioTransferReport {
        var transfer = RadioTransfer()
        transfer.imageByteCount = 32 << 10
        transfer.receiverBlockCount = 4
        transfer.radio.valueLoss = valueLoss
        transfer.keepsTimeline = keepsTimeline
        return try #require(transfer.run())
    }

    private func offsets(_ kind: TimelinePoint.Kind, _ report: RadioTransferReport) -> [Int] {
        report.timeline.filter { $0.kind == kind }.map(\.byteOffset)
    }

    @Test("Without loss each chunk is sent once and arrives once, in order")
    func clean() throws {
        let report = try report(valueLoss: 0, keepsTimeline: true)
        let chunks = Array(stride(from: 0, to: report.imageByteCount, by: 240))
        #expect(offsets(.sent, report) == chunks)
        #expect(offsets(.arrived, report) == chunks)
        #expect(offsets(.sentAgain, report).isEmpty)
    }

    @Test("What is lost is sent again, and only that", arguments: [0.05, 0.1])
    func lossy(valueLoss: Double) throws {
        let report = try report(valueLoss: valueLoss, keepsTimeline: true)
        let sentAgain = offsets(.sentAgain, report)
        let arrivals = offsets(.arrived, report)
        #expect(!sentAgain.isEmpty)
        #expect(Set(arrivals) == Set(offsets(.sent, report)))
        // What came before the sender knew that it was lost came never; only a probe, where an ACK
        // was lost, may bring again what has arrived, and the last chunk goes out twice each time
        // that nothing else is left.
        let repeatedEnds = 3
        #expect(
            arrivals.count - Set(arrivals).count <= sentAgain.count / 10 + repeatedEnds
        )
    }

    @Test("Durable bytes are acknowledged, and what is acknowledged has arrived and had credit")
    func order() throws {
        let report = try report(valueLoss: 0.05, keepsTimeline: true)
        var arrived: Set<Int> = []
        var edge = 0
        var acknowledged = 0
        for point in report.timeline {
            switch point.kind {
            case .arrived: arrived.insert(point.byteOffset)
            case .sent, .sentAgain: #expect(point.byteOffset < edge)
            case .acknowledged:
                acknowledged = point.byteOffset
                let before = stride(from: 0, to: acknowledged, by: 240)
                #expect(before.allSatisfy { arrived.contains($0) })
            case .granted:
                #expect(point.byteOffset >= acknowledged)
                edge = max(edge, point.byteOffset)
            case .durable: #expect(point.byteOffset <= acknowledged)
            }
        }
        #expect(acknowledged > 0 && edge == report.imageByteCount)
        #expect(report.timeline.map(\.moment) == report.timeline.map(\.moment).sorted())
    }

    @Test("A transfer with a timeline is the same transfer, and without there is none")
    func optional() throws {
        let with = try report(valueLoss: 0.02, keepsTimeline: true)
        let without = try report(valueLoss: 0.02, keepsTimeline: false)
        #expect(without.timeline.isEmpty)
        #expect(with.duration == without.duration)
        #expect(with.dataFrameCount == without.dataFrameCount)
        #expect(with.acknowledgementCount == without.acknowledgementCount)
    }
}
