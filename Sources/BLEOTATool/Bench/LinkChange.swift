import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// A link with one improvement.
struct LinkChange {
    /// The improvement, as a user would ask for it.
    let name: String
    let radio: RadioSettings

    /// A smaller gain does not justify a change.
    static let timesMin = 1.1
    /// Two runs over the same link differ by about this much.
    private static let timesUnchanged = 0.95

    /// Whether a change is worth mentioning.
    ///
    /// - Parameter times: the speedup of each write mode, the default one first.
    static func isGain(_ times: [Double]) -> Bool {
        guard let first = times.first else { return false }
        return first >= timesUnchanged && times.contains { $0 >= timesMin }
    }

    /// The possible improvements of a link, one at a time: a shorter interval, longer values, the
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
