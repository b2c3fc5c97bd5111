import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// An estimate from the shortest write request, assuming that the request is sent in one connection
/// event and its response in the next: the longest possible interval, which is half that time, and
/// the throughput of a model of such a link.
struct LinkEstimate {
    let secondsPerRequest: Double
    private let attMTU: Int

    init(secondsPerRequest: Double, attMTU: Int) {
        self.secondsPerRequest = secondsPerRequest
        self.attMTU = attMTU
    }

    var milliseconds: Double { secondsPerRequest * 1_000 }

    /// Half the duration of a request, rounded down to a valid interval; `nil` if it is outside the
    /// range that every radio supports. In a shorter request, the hosts take more time than the
    /// events.
    private var interval: Microseconds? {
        let step = ConnectionIntervals.baselineStep.rawValue
        let half = Microseconds(Int64(secondsPerRequest * 1e6 / 2) / step * step)
        return ConnectionIntervals.baselineRange.contains(half) ? half : nil
    }

    /// The image throughput of write commands at that interval, in bytes per second, if only time
    /// limits the packets of an event.
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

    /// The effect of a better interval or ATT_MTU, according to the model.
    var changes: [String] {
        guard let now = transfer(.le2M) else { return [] }
        return LinkChange.all(of: now.radio).compactMap { change in
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

    /// As an event.
    var line: JSONLine {
        JSONLine(event: "estimate").adding("requestSeconds", secondsPerRequest)
            .adding("intervalMillisecondsMax", milliseconds / 2)
            .adding("ceilingBytesPerSecond1M", ceilings?.le1M)
            .adding("ceilingBytesPerSecond2M", ceilings?.le2M)
    }
}
