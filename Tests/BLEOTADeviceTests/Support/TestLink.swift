import BLEOTADevice
import BLEOTATestSupport

/// One direction of a link in virtual time.
struct TestLink {
    /// What becomes of datagrams, in thousandths of them.
    struct Faults: Sendable {
        var lost = 0
        var repeated = 0
        var late = 0
        var damaged = 0

        static var none: Faults { Faults() }
        static var all: Faults { Faults(lost: 50, repeated: 50, late: 80, damaged: 20) }
    }

    private static let latency = Microseconds.milliseconds(4)
    private static let frameTime = Microseconds(300)

    private let faults: Faults
    private var random: TestSeed
    private var queue: [(at: Instant, datagram: TestSender.Datagram)] = []
    private var freeAt = Instant(microseconds: 0)

    init(_ faults: Faults, seed: UInt64) {
        self.faults = faults
        random = TestSeed(seed)
    }

    var nextArrival: Instant? { queue.first?.at }

    mutating func send(_ datagram: TestSender.Datagram, at now: Instant) {
        freeAt = max(freeAt, now) + Self.frameTime
        if draws(faults.lost) { return }
        var datagram = datagram
        if draws(faults.damaged) {
            datagram.bytes[random.below(datagram.bytes.count)] ^= UInt8(1 + random.below(255))
        }
        insert(datagram)
        if draws(faults.repeated) { insert(datagram) }
    }

    mutating func next(at now: Instant) -> TestSender.Datagram? {
        guard let first = queue.first, first.at <= now else { return nil }
        return queue.removeFirst().datagram
    }

    mutating func clear() { queue = [] }

    private mutating func insert(_ datagram: TestSender.Datagram) {
        var arrival = freeAt + Self.latency
        if draws(faults.late) { arrival = arrival + Microseconds(Int64(random.below(60_000))) }
        var index = queue.count
        while index > 0, queue[index - 1].at > arrival { index -= 1 }
        queue.insert((arrival, datagram), at: index)
    }

    private mutating func draws(_ perMille: Int) -> Bool {
        perMille > 0 && random.below(1_000) < perMille
    }
}
