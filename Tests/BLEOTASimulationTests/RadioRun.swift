import BLEOTACore

@testable import BLEOTASimulation

/// A modelled radio alone, without the machines.
struct RadioRun {
    typealias Link = RadioLink<Int>

    var link: Link
    private(set) var now = Instant(microseconds: 0)
    private(set) var reports: [(moment: Instant, report: Link.Report)] = []
    private var random = SimulationRandom(seed: 1)

    init(_ settings: RadioSettings) { link = Link(settings) }

    /// What came to an end, in order.
    func tokens(at end: Link.End) -> [Int] {
        reports.compactMap {
            if case .value(let token, at: let place) = $0.report, place == end {
                token
            } else {
                nil
            }
        }
    }

    /// When each end lost the link.
    var losses: [(moment: Instant, end: Link.End)] {
        reports.compactMap {
            if case .lost(at: let end) = $0.report { ($0.moment, end) } else { nil }
        }
    }

    mutating func send(
        _ tokens: Range<Int>,
        byteCount: Int,
        as operation: Link.Operation,
        from end: Link.End
    ) {
        for token in tokens {
            link.send(token, byteCount: byteCount, as: operation, from: end, at: now)
        }
    }

    /// Goes on until nothing more happens, or until a moment.
    mutating func run(until end: Instant = Instant(microseconds: .max)) {
        while let next = link.nextMoment, next <= end {
            now = next
            if let report = link.advance(to: now, &random) { reports.append((now, report)) }
        }
        if end.microseconds < .max { now = end }
    }

    /// What arrives in a second where an end always has something to send, in bytes of values:
    /// in so many connection events, 2 s of them and 8 at least.
    static func rate(
        _ settings: RadioSettings,
        ofValue byteCount: Int,
        as operation: Link.Operation
    ) -> Double {
        let interval = settings.connectionInterval
        let eventCount = max(4, Int(1_000_000 / interval.rawValue)) * 2
        let duration = interval * eventCount
        var link = Link(settings)
        var random = SimulationRandom(seed: 1)
        let source: Link.End = operation == .notification ? .peripheral : .central
        // What is sent in them arrives later by this.
        let end = Instant(microseconds: 0) + duration + settings.hostLatency
        var (now, waitingCount, arrivedCount) = (Instant(microseconds: 0), 0, 0)
        func isFull() -> Bool {
            operation == .request ? link.isRequesting(source) : waitingCount >= 500
        }
        while true {
            while !isFull() {
                link.send(0, byteCount: byteCount, as: operation, from: source, at: now)
                waitingCount += 1
            }
            guard let next = link.nextMoment, next <= end else { break }
            now = next
            guard case .value = link.advance(to: now, &random) else { continue }
            arrivedCount += 1
            waitingCount -= 1
        }
        return Double(arrivedCount * byteCount) * 1e6 / Double(duration.rawValue)
    }
}
