import BLEOTA
import BLEOTACore
import BLEOTASimulation

/// The conclusions from the runs over a link: a table, what is possible, and what to change.
///
/// The connection interval, the radio and the number of packets per event are not visible from
/// here. A write request and its response take two events, so their time bounds the interval.
/// Conclusions from that bound are reported as an estimate.
struct LinkFindings {
    private let cells: [BenchCell]
    private let facts: MachineFacts
    private let attMTU: Int

    init(_ cells: [BenchCell], _ facts: MachineFacts, attMTU: Int) {
        self.cells = cells
        self.facts = facts
        self.attMTU = attMTU
    }

    func tell(_ output: BenchOutput) {
        var table = BenchTable(["writes", "ATT_MTU", "goodput", "from", "to", "vs. response"])
        for cell in cells {
            let with = self.cell(.withResponse, attMTU: cell.attMTU)?.median ?? 0
            table.add([
                cell.mode.name, "\(cell.attMTU)", Units.rate(cell.median),
                Units.rate(cell.lowest), Units.rate(cell.highest),
                BenchOutput.times(cell.median, with),
            ])
            output.reporter.event(
                cell.line(timesWithResponse: with > 0 ? cell.median / with : nil)
            )
        }
        output.show(table)
        let estimate = facts.isBluetooth ? estimate : nil
        if let estimate { output.reporter.event(estimate.line) }
        output.conclude(
            could: could(estimate),
            does: does(estimate),
            change: change(estimate).orElse("nothing that can be measured from here")
        )
    }

    private func cell(_ mode: WriteMode, attMTU: Int) -> BenchCell? {
        cells.first { $0.mode == mode && $0.attMTU == attMTU }
    }

    /// The largest ATT_MTU that was measured.
    private var attMTUMax: Int { cells.map(\.attMTU).max() ?? attMTU }

    /// The fastest kind of run at the largest ATT_MTU.
    private var best: BenchCell? {
        cells.filter { $0.attMTU == attMTUMax }.max { $0.median < $1.median }
    }

    /// The estimate from the fastest run: a request takes two connection events or longer.
    private var estimate: LinkEstimate? {
        cells.compactMap(\.secondsPerRequestMin).min().map {
            LinkEstimate(secondsPerRequest: $0, attMTU: attMTUMax)
        }
    }

    // MARK: - Sentences

    private func could(_ estimate: LinkEstimate?) -> [String] {
        guard let estimate else {
            return ["whatever the two ends and this machine can do: the link has no radio"]
        }
        let request =
            "estimate: a write request took \(BenchOutput.tenths(estimate.milliseconds)) ms"
        guard let ceilings = estimate.ceilings else {
            return [
                "\(request), less than two connection intervals of 7.5 ms, the minimum before "
                    + "Core 6.2, so the interval can't be estimated"
            ]
        }
        return [
            "\(request); if a request and its response take two connection events, the interval is "
                + "at most \(BenchOutput.tenths(estimate.milliseconds / 2)) ms. At that "
                + "interval, full packets carry \(Units.rate(ceilings.le2M)) without "
                + "response over LE 2M and \(Units.rate(ceilings.le1M)) over LE 1M"
        ]
    }

    private func does(_ estimate: LinkEstimate?) -> [String] {
        guard let best else { return [] }
        var line = "\(best.mode.name): \(Units.rate(best.median)) at ATT_MTU \(best.attMTU)"
        if let ceilings = estimate?.ceilings, best.median > ceilings.le2M {
            line +=
                ", more than the estimate for LE 2M: something other than the interval slows the "
                + "requests down"
        } else if let ceilings = estimate?.ceilings {
            line +=
                ", \(BenchOutput.percent(best.median, of: ceilings.le2M)) of the estimate for LE 2M"
            line += ", \(BenchOutput.percent(best.median, of: ceilings.le1M)) of that for LE 1M"
        }
        return [line]
    }

    private func change(_ estimate: LinkEstimate?) -> [String] {
        var lines: [String] = []
        if let auto = cell(.withoutResponse(.automatic), attMTU: attMTUMax),
            let with = cell(.withResponse, attMTU: attMTUMax), auto.median > with.median * 1.1
        {
            let times = BenchOutput.times(auto.median, with.median)
            lines.append(
                "write without response: \(times) times as fast (measured); push does by default"
            )
        }
        lines += cells.filter { $0.resentPercent >= 1 }.map {
            "\($0.name): \(BenchOutput.tenths($0.resentPercent)) % of the frames were resent; "
                + "something between the two ends drops frames"
        }
        return lines + (estimate?.changes ?? [])
    }
}
