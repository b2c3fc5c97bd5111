import BLEOTA
import BLEOTASimulation

/// The runs of one kind: a way of writing, with frames for one ATT_MTU.
struct BenchCell {
    let mode: WriteMode
    let attMTU: Int
    private(set) var runs: [TransferMeasurement] = []

    init(_ mode: WriteMode, attMTU: Int) {
        self.mode = mode
        self.attMTU = attMTU
    }

    mutating func add(_ run: TransferMeasurement) { runs.append(run) }

    /// The goodput of each run in bytes per second, in ascending order.
    private var rates: [Double] { runs.map(\.goodputBytesPerSecond).sorted() }

    /// The median goodput in bytes per second; 0 before the first run.
    var median: Double {
        let rates = rates
        guard !rates.isEmpty else { return 0 }
        return (rates[(rates.count - 1) / 2] + rates[rates.count / 2]) / 2
    }

    var lowest: Double { rates.first ?? 0 }
    var highest: Double { rates.last ?? 0 }

    /// The shortest time of a request in seconds; `nil` unless this is the mode with response,
    /// which sends one request at a time.
    var secondsPerRequestMin: Double? {
        guard mode == .withResponse, highest > 0, let chunkByteCount = runs.first?.chunkByteCount
        else { return nil }
        return Double(chunkByteCount) / highest
    }

    /// The percentage of frames that were resent.
    var resentPercent: Double {
        let sent = runs.map(\.dataFramesSent).reduce(0, +)
        let resent = runs.map(\.dataFramesResent).reduce(0, +)
        return sent > 0 ? Double(resent) / Double(sent) * 100 : 0
    }

    var options: PushOptions {
        var options = PushOptions()
        switch mode {
        case .withResponse: options.delivery = .withResponse
        case .withoutResponse(let policy): options.window = .init(policy)
        }
        return options
    }

    /// The result as an event.
    func line(timesWithResponse times: Double?) -> JSONLine {
        JSONLine(event: "cell").adding("simulated", false).adding("mode", mode.name)
            .adding("attMTU", attMTU).adding("chunkBytes", runs.first?.chunkByteCount)
            .adding("runs", runs.count)
            .adding("goodputBytesPerSecond", median)
            .adding("lowestBytesPerSecond", lowest)
            .adding("highestBytesPerSecond", highest)
            .adding("resentPercent", resentPercent)
            .adding("timesWithResponse", times)
    }

    /// One run as an event.
    func line(of run: TransferMeasurement, number: Int) -> JSONLine {
        JSONLine(event: "run").adding("number", number).adding("mode", mode.name)
            .adding("attMTU", attMTU).adding("chunkBytes", run.chunkByteCount)
            .adding("bytes", run.acknowledgedByteCount)
            .adding("seconds", run.duration / .seconds(1))
            .adding("goodputBytesPerSecond", run.goodputBytesPerSecond)
            .adding("dataFramesSent", run.dataFramesSent)
            .adding("dataFramesResent", run.dataFramesResent)
    }
}
