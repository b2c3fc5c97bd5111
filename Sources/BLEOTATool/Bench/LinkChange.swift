import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// A link with one thing better than it is.
struct LinkChange {
    /// What is changed, as somebody would ask for it.
    let name: String
    let radio: RadioSettings

    /// A smaller gain is not worth a change.
    static let timesMin = 1.1
    /// Two runs over the same link differ by about this much.
    private static let timesUnchanged = 0.95

    /// Whether a change is worth naming.
    ///
    /// - Parameter times: how many times as fast each way of writing gets, the default one first.
    static func isGain(_ times: [Double]) -> Bool {
        guard let first = times.first else { return false }
        return first >= timesUnchanged && times.contains { $0 >= timesMin }
    }

    /// What can be better of a link, one thing at a time: a shorter interval, longer values, the
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
            add("an event every \(IntervalArgument.text(interval)) ms") {
                $0.connectionInterval = interval
            }
        }
        if radio.attMTU < 247 { add("ATT_MTU 247") { $0.attMTU = 247 } }
        if radio.phy != .le2M { add("LE 2M") { $0.phy = .le2M } }
        if radio.valueLoss > 0 { add("no loss") { $0.valueLoss = 0 } }
        return changes
    }
}
