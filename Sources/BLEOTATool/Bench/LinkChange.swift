import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// A link that is better in one respect.
struct LinkChange {
    /// The change, in the words of a user.
    let name: String
    let radio: RadioSettings

    /// The smallest gain that is worth a change.
    static let timesMin = 1.1
    /// A ratio that is within the variation between two runs over the same link.
    private static let timesUnchanged = 0.95

    /// Whether a change is worth reporting.
    ///
    /// - Parameter times: the speedup of each way of writing, the default one first.
    static func isGain(_ times: [Double]) -> Bool {
        guard let first = times.first else { return false }
        return first >= timesUnchanged && times.contains { $0 >= timesMin }
    }

    /// The possible changes of a link, one property each: a shorter interval, longer values, a
    /// faster radio, no loss.
    static func all(of radio: RadioSettings) -> [LinkChange] {
        var changes: [LinkChange] = []
        func add(_ name: String, _ change: (inout RadioSettings) -> Void) {
            var changed = radio
            change(&changed)
            if let changed = changed.fitted {
                changes.append(LinkChange(name: name, radio: changed))
            }
        }
        for interval in [Microseconds(15_000), Microseconds(7_500)]
        where interval < radio.connectionInterval {
            add("a connection interval of \(IntervalArgument.text(interval)) ms") {
                $0.connectionInterval = interval
            }
        }
        if radio.attMTU < 247 { add("ATT_MTU 247") { $0.attMTU = 247 } }
        if radio.phy != .le2M { add("LE 2M") { $0.phy = .le2M } }
        if radio.valueLoss > 0 { add("no loss") { $0.valueLoss = 0 } }
        return changes
    }
}
