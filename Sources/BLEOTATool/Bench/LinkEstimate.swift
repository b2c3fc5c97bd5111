import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// An estimate from the shortest time of a write request. If the request and its response take one
/// connection event each, the interval is at most half that time. A simulated link with this
/// interval gives an estimate of the highest possible throughput.
struct LinkEstimate {
    let secondsPerRequest: Double
    private let attMTU: Int

    init(secondsPerRequest: Double, attMTU: Int) {
        self.secondsPerRequest = secondsPerRequest
        self.attMTU = attMTU
    }

    var milliseconds: Double { secondsPerRequest * 1_000 }

    /// Half the time of a request, rounded down to a valid interval; `nil` unless every radio
    /// supports it. A time too short for such an interval depends mainly on the hosts, not on
    /// connection events.
    private var interval: Microseconds? {
        let step = ConnectionIntervals.baselineStep.rawValue
        let half = Microseconds(Int64(secondsPerRequest * 1e6 / 2) / step * step)
        return ConnectionIntervals.baselineRange.contains(half) ? half : nil
    }

    /// How many bytes of an image write commands carry per second at the estimated interval, if
    /// only time limits the number of packets in an event.
    var ceilings: (le1M: Double, le2M: Double)? {
        guard let slow = transfer(.le1M), let fast = transfer(.le2M) else { return nil }
        return (slow.ceilingBytesPerSecond, fast.ceilingBytesPerSecond)
    }

    private func transfer(_ phy: PHY) -> RadioTransfer? {
        guard let interval else { return nil }
        var radio = RadioSettings()
        radio.phy = phy
        radio.isEncrypted = true
        radio.connectionInterval = interval
        radio.attMTU = attMTU
        return radio.isPossible
            ? WriteModeGrid.transfer(over: radio, .withoutResponse(.automatic)) : nil
    }

    /// The gains from a better interval or ATT_MTU, according to the model.
    var changes: [String] {
        guard let now = transfer(.le2M) else { return [] }
        return LinkChange.all(of: now.radio, isExact: false).compactMap { change in
            let words = [WriteMode.withoutResponse(.automatic), .withResponse].map { mode in
                let before = WriteModeGrid.transfer(over: now.radio, mode).run()
                let after = WriteModeGrid.transfer(over: change.radio, mode).run()
                return (
                    mode: mode,
                    times: (after?.goodputBytesPerSecond ?? 0)
                        / (before?.goodputBytesPerSecond ?? .infinity)
                )
            }
            guard LinkChange.isGain(words.map(\.times)) else { return nil }
            let gains = words.filter { $0.times >= LinkChange.timesMin }.map {
                "\($0.mode.name) \(BenchOutput.tenths($0.times)) times"
            }
            return "\(change.name): \(gains.joined(separator: ", ")) as fast (simulated)"
        }
    }

    /// The estimate as an event.
    var line: JSONLine {
        JSONLine(event: "estimate").adding("requestSeconds", secondsPerRequest)
            .adding("intervalMillisecondsMax", milliseconds / 2)
            .adding("ceilingBytesPerSecond1M", ceilings?.le1M)
            .adding("ceilingBytesPerSecond2M", ceilings?.le2M)
    }
}
