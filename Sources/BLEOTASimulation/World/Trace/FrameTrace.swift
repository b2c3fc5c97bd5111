import BLEOTACore

/// A trace of the link: always a hash, and individual entries on request.
struct FrameTrace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private let report: ((SimulatedTraceEntry) -> Void)?

    init(report: ((SimulatedTraceEntry) -> Void)?) { self.report = report }

    mutating func departs(_ datagram: [UInt8], on channel: Pair.Channel, at now: Instant) {
        record(datagram, "departure", at: now)
        guard let report else { return }
        switch channel {
        case .senderControl:
            report(SimulatedTraceEntry(moment: now, event: .sendsControl(datagram)))
        case .senderData: report(SimulatedTraceEntry(moment: now, event: .sendsData(datagram)))
        case .receiverControl: break
        }
    }

    mutating func arrives(_ datagram: [UInt8], on channel: Pair.Channel, at now: Instant) {
        record(datagram, "arrival", at: now)
        guard let report, channel == .receiverControl else { return }
        report(SimulatedTraceEntry(moment: now, event: .getsControl(datagram)))
    }

    func note(_ text: @autoclosure () -> String, at now: Instant) {
        guard let report else { return }
        report(SimulatedTraceEntry(moment: now, event: .note(text())))
    }

    private mutating func record(_ datagram: [UInt8], _ event: StaticString, at now: Instant) {
        mix(UInt64(bitPattern: now.microseconds))
        mix(UInt64(event.utf8CodeUnitCount) << 32 | UInt64(datagram.count))
        for byte in datagram.suffix(4) { mix(UInt64(byte)) }
    }

    private mutating func mix(_ word: UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 31
    }
}
