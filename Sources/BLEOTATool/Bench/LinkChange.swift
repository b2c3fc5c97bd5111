import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// A link that is better in one respect.
struct LinkChange {
    /// The change, in the words of a user.
    let name: String
    let radio: RadioSettings

    /// The smallest gain that is worth a change.
    static let timesMin = 1.05
    /// The smallest ratio that does not make the default way of writing slower for no reason.
    static let timesUnchanged = 0.95

    /// Whether a change is worth reporting.
    ///
    /// - Parameter times: the speedup of each way of writing, the default one first.
    static func isGain(_ times: [Double]) -> Bool {
        guard let first = times.first else { return false }
        return first >= timesUnchanged && times.contains { $0 >= timesMin }
    }

    /// The possible changes of a link, one property each: another interval, longer values, a
    /// faster radio, no loss. Over LE 1M, a short interval leaves room for fewer packets.
    ///
    /// - Parameter isExact: whether the interval is known, not estimated. Only then is the number
    ///   of packets that fit into an event known, too.
    static func all(of radio: RadioSettings, isExact: Bool) -> [LinkChange] {
        var changes: [LinkChange] = []
        func add(_ name: String, _ change: (inout RadioSettings) -> Void) {
            var changed = radio
            change(&changed)
            if let changed = changed.fitted {
                changes.append(LinkChange(name: name, radio: changed))
            }
        }
        let intervals = [30_000, 15_000, 7_500].map { Microseconds($0) }
        for interval in intervals where interval != radio.connectionInterval {
            guard interval < radio.connectionInterval || radio.phy == .le1M else { continue }
            add("a connection interval of \(IntervalArgument.text(interval)) ms") {
                $0.connectionInterval = interval
            }
        }
        if radio.attMTU < 247 { add("ATT_MTU 247") { $0.attMTU = 247 } }
        if isExact, let attMTU = shorterATTMTU(of: radio) {
            add("ATT_MTU \(attMTU)") { $0.attMTU = attMTU }
        }
        if radio.phy != .le2M { add("LE 2M") { $0.phy = .le2M } }
        if radio.valueLoss > 0 { add("no loss") { $0.valueLoss = 0 } }
        return changes
    }

    /// A slightly shorter ATT_MTU with which one more packet fits into an event, if there is one.
    private static func shorterATTMTU(of radio: RadioSettings) -> Int? {
        func ceiling(_ attMTU: Int) -> Double {
            var changed = radio
            changed.attMTU = attMTU
            return WriteModeGrid.transfer(over: changed, .withoutResponse(.automatic))
                .ceilingBytesPerSecond
        }
        let candidates = max(radio.attMTU - 16, 23)..<radio.attMTU
        let best = candidates.max { ceiling($0) < ceiling($1) }
        return best.flatMap { ceiling($0) >= ceiling(radio.attMTU) * timesMin ? $0 : nil }
    }
}
