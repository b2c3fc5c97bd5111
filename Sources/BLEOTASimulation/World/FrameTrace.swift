import BLEOTACore

/// What went over the link: always as a hash, and as lines when asked.
struct FrameTrace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines: [String] = []
    let isKept: Bool

    init(isKept: Bool) { self.isKept = isKept }

    mutating func take(_ datagram: [UInt8], _ event: StaticString, at now: Instant) {
        mix(UInt64(bitPattern: now.microseconds))
        mix(UInt64(event.utf8CodeUnitCount) << 32 | UInt64(datagram.count))
        for byte in datagram.suffix(4) { mix(UInt64(byte)) }
    }

    mutating func note(_ text: @autoclosure () -> String, at now: Instant) {
        guard isKept else { return }
        let milliseconds = Double(now.microseconds) / 1_000
        lines.append("\(milliseconds) ms  \(text())")
    }

    private mutating func mix(_ word: UInt64) {
        hash = (hash ^ word) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 31
    }
}
