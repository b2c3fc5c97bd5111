import BLEOTACore

/// The behavior of one channel of a link.
struct LinkModel {
    /// The faults that occur until the link heals, each with a probability per datagram, from 0 to
    /// 0.2.
    struct Faults {
        var loss = 0.0
        var duplication = 0.0
        var corruption = 0.0
        var truncation = 0.0
    }

    /// Connection events, each of which carries this many datagrams.
    struct Pace {
        var interval: Microseconds
        var datagramCount: Int
        /// The largest number of queued datagrams; further ones are lost.
        var queueMax: Int
    }

    /// Periodic stalls, during which nothing is transmitted; they cease when the link heals.
    struct Stalls {
        var period: Microseconds
        var length: Microseconds
    }

    /// A limit above which datagrams are silently lost or truncated.
    struct SizeLimit {
        var byteCount: Int
        var isCutShort: Bool
    }

    var latency: Microseconds
    /// The upper bound of the additional delay that is drawn for each datagram. These delays
    /// reorder datagrams unless the link preserves order.
    var jitter = Microseconds.zero
    var isOrdered = true
    var faults = Faults()
    var pace: Pace?
    var stalls: Stalls?
    var sizeLimit: SizeLimit?
}

/// The state of one channel of a link.
struct ModelChannel {
    struct Arrival {
        let moment: Instant
        let datagram: [UInt8]
    }

    let model: LinkModel
    private var lastArrival = Instant(microseconds: 0)
    private var eventMoment = Instant(microseconds: 0)
    private var sentInEvent = 0

    init(_ model: LinkModel) { self.model = model }

    /// Returns the arrivals of a datagram: none, one, or two.
    mutating func arrivals(
        of datagram: [UInt8],
        at now: Instant,
        isHealed: Bool,
        _ random: inout SimulationRandom
    ) -> [Arrival] {
        let faults = isHealed ? LinkModel.Faults() : model.faults
        var datagram = datagram
        if let limit = model.sizeLimit, datagram.count > limit.byteCount {
            guard limit.isCutShort else { return [] }
            datagram.removeLast(datagram.count - limit.byteCount)
        }
        guard let departure = departure(at: now, isHealed: isHealed) else { return [] }
        if random.chance(faults.loss) { return [] }
        if random.chance(faults.truncation) {
            datagram.removeLast(random.int(1...datagram.count))
        }
        if random.chance(faults.corruption) { Self.damage(&datagram, &random) }
        let first = arrival(after: departure, &random)
        guard random.chance(faults.duplication) else {
            return [Arrival(moment: first, datagram: datagram)]
        }
        let extra = Microseconds(Int64(random.logarithmic(1...2_000_000)))
        let second = model.isOrdered ? arrival(after: departure, &random) : first + extra
        return [
            Arrival(moment: first, datagram: datagram), Arrival(moment: second, datagram: datagram),
        ]
    }

    private mutating func arrival(
        after departure: Instant,
        _ random: inout SimulationRandom
    ) -> Instant {
        let extra = random.int(0...Int(model.jitter.rawValue))
        var moment = departure + model.latency + Microseconds(Int64(extra))
        if model.isOrdered {
            moment = max(moment, lastArrival)
            lastArrival = moment
        }
        return moment
    }

    private mutating func departure(at now: Instant, isHealed: Bool) -> Instant? {
        var moment = now
        if let stalls = model.stalls, !isHealed {
            let phase = now.microseconds % stalls.period.rawValue
            if phase < stalls.length.rawValue {
                moment = now + Microseconds(stalls.length.rawValue - phase)
            }
        }
        guard let pace = model.pace else { return moment }
        let interval = pace.interval.rawValue
        let eventNext = Instant(microseconds: (moment.microseconds / interval + 1) * interval)
        if eventNext > eventMoment {
            eventMoment = eventNext
            sentInEvent = 0
        }
        let waiting =
            Int((eventMoment - eventNext).rawValue / interval) * pace.datagramCount + sentInEvent
        if waiting >= pace.queueMax { return nil }
        if sentInEvent == pace.datagramCount {
            eventMoment = eventMoment + pace.interval
            sentInEvent = 0
        }
        sentInEvent += 1
        return eventMoment
    }

    /// Flips up to three bits, or a burst of up to 16 bits; a 16-bit checksum always detects
    /// either.
    private static func damage(_ datagram: inout [UInt8], _ random: inout SimulationRandom) {
        guard !datagram.isEmpty else { return }
        if random.chance(0.5) {
            for _ in 0..<random.int(1...3) {
                let bit = random.int(0...datagram.count * 8 - 1)
                datagram[bit / 8] ^= 1 << UInt8(bit % 8)
            }
        } else {
            let first = random.int(0...datagram.count - 1)
            datagram[first] ^= UInt8(random.int(1...255))
            if first + 1 < datagram.count { datagram[first + 1] ^= UInt8(random.int(0...255)) }
        }
    }
}
