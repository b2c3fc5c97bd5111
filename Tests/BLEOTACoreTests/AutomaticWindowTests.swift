import Testing

@testable import BLEOTACore

/// A link that delivers one chunk per `spacing` milliseconds, holds the rest in a queue without
/// end, and has a round trip of `roundTrip` milliseconds when the queue is empty.
private final class QueueingLink {
    var spacing: Int
    let roundTrip: Int
    private(set) var window = AutomaticWindow()
    private(set) var windows: [Int] = []
    private(set) var queueMax = 0
    private(set) var delivered = 0
    private var flight: FlightTable
    private let ring: UnsafeMutableBufferPointer<SentChunk>
    private var queue: [UInt32] = []
    private var acknowledgements: [(at: Int, cumulative: UInt32)] = []
    private var nextService = 0
    private var now = 0

    init(spacing: Int, roundTrip: Int) {
        self.spacing = spacing
        self.roundTrip = roundTrip
        ring = .allocate(capacity: 1_024)
        ring.initialize(repeating: SentChunk())
        flight = FlightTable(in: ring, chunkCount: 1_000_000, cumulative: 0)
    }

    deinit { ring.deallocate() }

    func run(milliseconds: Int, isLimited: Bool = false) {
        for _ in 0..<milliseconds {
            deliver()
            acknowledge(isLimited: isLimited)
            while flight.inFlightCount < window.chunkCount,
                let index = flight.firstUnsent(below: 1_000_000)
            {
                flight.sent(index, at: .milliseconds(now))
                queue.append(index)
            }
            queueMax = max(queueMax, queue.count)
            windows.append(window.chunkCount)
            now += 1
        }
    }

    private func deliver() {
        guard now >= nextService, !queue.isEmpty else { return }
        acknowledgements.append((now + roundTrip, queue.removeFirst() + 1))
        delivered += 1
        nextService = now + spacing
    }

    private func acknowledge(isLimited: Bool) {
        while let first = acknowledgements.first, first.at <= now {
            acknowledgements.removeFirst()
            let update = flight.arrived(
                cumulative: first.cumulative,
                bitmap: .init()
            )
            guard let newest = update.newest else { continue }
            window.acknowledged(
                DeliverySample(
                    now: .milliseconds(now),
                    deliveredTotal: flight.deliveredCount,
                    deliveredWhenSent: newest.deliveredWhenSent,
                    isSenderLimited: isLimited
                )
            )
        }
    }
}

@Suite("AutomaticWindow")
struct AutomaticWindowTests {
    @Test(
        "It fills the link, then stops growing, and the queue stays short",
        arguments: [
            (1, 30), (2, 100), (5, 60), (1, 200), (4, 400), (10, 40),
        ]
    )
    func fillsTheLink(spacing: Int, roundTrip: Int) {
        let link = QueueingLink(spacing: spacing, roundTrip: roundTrip)
        link.run(milliseconds: 60 * roundTrip)
        let before = link.delivered
        let product = Double(roundTrip) / Double(spacing)
        let settled = link.windows[(40 * roundTrip)...]
        link.run(milliseconds: 100 * spacing)
        #expect(link.delivered - before >= 95, "the link is not kept busy")
        let first = Double(AutomaticWindow.chunkCountFirst) * 5 / 4
        let enough = max(2 * product, first) + 6
        #expect(Double(settled.max()!) <= enough, "\(settled.max()!) of \(product)")
        #expect(Double(settled.min()!) >= min(product, 500) - 1 || settled.min()! >= 4)
        #expect(link.windows.allSatisfy { (4...512).contains($0) })
    }

    @Test("It doubles each round trip, however many ACKs come in one")
    func doublesEachRound() {
        // 100 chunks each round trip fit the link before a queue builds.
        let link = QueueingLink(spacing: 1, roundTrip: 200)
        link.run(milliseconds: 202)
        #expect((12...15).contains(link.windows.last!))
        link.run(milliseconds: 20)
        #expect(link.windows.last == 24)
        link.run(milliseconds: 200)
        #expect((40...48).contains(link.windows.last!))
    }

    @Test("Rounds in which credit or the object's end held the sender back do not end the growth")
    func limited() {
        let link = QueueingLink(spacing: 5, roundTrip: 20)
        link.run(milliseconds: 20 * 40, isLimited: true)
        #expect(link.window.chunkCount > 2 * 4)
    }

    @Test("It never passes 512, nor traps on a rate beyond reason")
    func bounds() {
        var window = AutomaticWindow()
        for round in 1...2_000 as ClosedRange<UInt32> {
            window.acknowledged(
                DeliverySample(
                    now: .milliseconds(Int(round)),
                    deliveredTotal: round * 16_384,
                    deliveredWhenSent: (round - 1) * 16_384,
                    isSenderLimited: false
                )
            )
            #expect((4...512).contains(window.chunkCount))
        }
        #expect(window.chunkCount == 512)
    }

    @Test("A link that turned slow gets the window it needs, and one that turned fast again too")
    func slower() {
        let link = QueueingLink(spacing: 1, roundTrip: 50)
        link.run(milliseconds: 5_000)
        #expect((45...90).contains(link.window.chunkCount))
        link.spacing = 10
        link.run(milliseconds: 120_000)
        #expect((4...16).contains(link.window.chunkCount), "\(link.window.chunkCount)")
        link.spacing = 1
        link.run(milliseconds: 120_000)
        let before = link.delivered
        link.run(milliseconds: 1_000)
        #expect(link.delivered - before >= 930)
    }

    @Test("The window that is too small costs two rounds, and is tried ever more seldom")
    func vainTries() {
        let link = QueueingLink(spacing: 1, roundTrip: 50)
        link.run(milliseconds: 20_000)
        let before = link.delivered
        link.run(milliseconds: 60_000)
        #expect(link.delivered - before >= 58_800)
        #expect(Double(link.windows.suffix(10_000).max()!) <= 80)
    }
}
