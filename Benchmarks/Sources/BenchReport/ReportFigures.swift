import BLEOTACore
import BLEOTASimulation

/// The plots of the simulated links.
struct ReportFigures {
    let runs: ReportRuns

    private static let link =
        "LE 2M, ATT_MTU \(ReportRuns.plottedMTU), encrypted, data length extension"
    private static let interval = "\(Figures.milliseconds(ReportRuns.plottedInterval)) ms"

    private static let timesText = "Below the bars, how many times as fast it is without response."

    private static let styles: [WriteMode: SeriesStyle] = [
        .withoutResponse(.automatic): SeriesStyle(1, dash: 0, .disc),
        .withoutResponse(.fixed(chunkCount: 32)): SeriesStyle(5, dash: 1, .square),
        .burst12: SeriesStyle(2, dash: 4, .triangle),
        .withoutResponse(.fieldRule): SeriesStyle(3, dash: 3, .diamond),
        .withResponse: SeriesStyle(4, dash: 5, .cross),
    ]
    private static let ceiling = SeriesStyle(0, dash: 2, nil)
    private static let rateTicks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200]

    // MARK: - Lines

    var overInterval: Figure {
        let plot = LinePlot(
            x: Axis(
                "Connection interval in ms",
                ratiosOf: ReportRuns.plottedIntervals.map(Self.milliseconds),
                margin: 1.1
            ),
            y: Axis("Goodput in kB/s", ratiosOf: Self.rateTicks),
            series: series(ReportRuns.plottedIntervals, x: Self.milliseconds) { mode, interval in
                ReportRuns.transfer(mode, every: interval)
            },
            unit: "kB/s"
        )
        return Figure(
            title: "Goodput over connection interval",
            origin: .simulated,
            text: """
                \(Self.link), no loss. Both axes are logarithmic. What waits for an answer after a \
                few frames loses with each longer interval; a window that holds what the link \
                carries between two answers does not.
                """,
            plot: plot,
            height: 420
        )
    }

    var overLoss: Figure {
        let plot = LinePlot(
            x: Axis("Loss above the link layer in %", upTo: 10, stepsOf: 1),
            y: Axis("Goodput in kB/s", upTo: 180, steps: 9),
            series: series(ReportRuns.plottedLosses, x: { $0 * 100 }) { mode, loss in
                ReportRuns.transfer(mode, valueLoss: loss)
            },
            unit: "kB/s"
        )
        return Figure(
            title: "Goodput over loss",
            origin: .simulated,
            text: """
                \(Self.link), connection interval \(Self.interval). Commands and notifications \
                are lost, as in a full queue; requests are not. The ceiling falls by what is lost.
                """,
            plot: plot,
            height: 420
        )
    }

    var overWindow: Figure {
        let looks = [
            SeriesStyle(1, dash: 0, .disc), SeriesStyle(2, dash: 1, .square),
            SeriesStyle(3, dash: 3, .triangle),
        ]
        let autoPlace = 1_024.0
        let series = zip(ReportRuns.windowIntervals, looks).map { interval, style in
            let fixed = ReportRuns.plottedWindows.map { count in
                let mode = WriteMode.withoutResponse(.fixed(chunkCount: count))
                return (
                    x: Double(count),
                    y: runs.kilobytes(ReportRuns.transfer(mode, every: interval))
                )
            }
            let automatic = WriteMode.withoutResponse(.automatic)
            let auto = runs.kilobytes(ReportRuns.transfer(automatic, every: interval))
            return Series(
                name: "connection interval \(Figures.milliseconds(interval)) ms",
                style: style,
                points: fixed + [(x: autoPlace, y: auto)],
                isLastApart: true
            )
        }
        let ticks = [1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512].map { (Double($0), "\($0)") }
        let plot = LinePlot(
            x: Axis(
                "Fixed window in chunks; on the right, auto",
                ratios: 1...1_300,
                ticks: ticks + [(autoPlace, "auto")]
            ),
            y: Axis("Goodput in kB/s", upTo: 180, steps: 9),
            series: series,
            unit: "kB/s"
        )
        return Figure(
            title: "Goodput over window",
            origin: .simulated,
            text: """
                \(Self.link), no loss. The horizontal axis is logarithmic. A window is how many \
                chunks of 240 bytes may be on the way at a time.
                """,
            plot: plot,
            height: 400
        )
    }

    // MARK: - Bars

    var overMTU: Figure {
        let groups = WriteModeGrid().attMTUs.map { attMTU in
            group("\(attMTU)") { ReportRuns.transfer($0, attMTU: attMTU) }
        }
        return bars(
            "With against without response, over ATT_MTU",
            "LE 2M, connection interval \(Self.interval), no loss. \(Self.timesText)",
            x: "ATT_MTU in bytes",
            groups
        )
    }

    var overIntervalAsBars: Figure {
        let groups = WriteModeGrid().connectionIntervals.map { interval in
            group("\(Figures.milliseconds(interval))") {
                ReportRuns.transfer($0, every: interval)
            }
        }
        return bars(
            "With against without response, over connection interval",
            "LE 2M, ATT_MTU \(ReportRuns.plottedMTU), no loss. \(Self.timesText)",
            x: "Connection interval in ms",
            groups
        )
    }

    private func group(_ label: String, _ transfer: (WriteMode) -> RadioTransfer) -> BarPlot.Group {
        BarPlot.Group(
            label: label,
            filled: runs.kilobytes(transfer(.withoutResponse(.automatic))),
            hatched: runs.kilobytes(transfer(.withResponse))
        )
    }

    private func bars(
        _ title: String,
        _ text: String,
        x: String,
        _ groups: [BarPlot.Group]
    ) -> Figure {
        Figure(
            title: title,
            origin: .simulated,
            text: text,
            plot: BarPlot(
                x: x,
                y: Axis("Goodput in kB/s", upTo: 180, steps: 9),
                groups: groups,
                filledName: "without response, auto",
                hatchedName: "with response"
            )
        )
    }

    // MARK: - Sequences

    func sequence(_ mode: WriteMode, _ title: String, _ text: String) -> Figure? {
        let transfer = ReportRuns.short(mode)
        guard let report = transfer.run() else { return nil }
        return Figure(
            title: title,
            origin: .simulated,
            text: """
                40 KiB over \(Self.link), 2 % loss; a vertical line stands at each connection \
                event, every \(Self.interval). The receiver has memory for 16 KiB. \(text)
                """,
            plot: SequencePlot(
                report: report,
                connectionInterval: transfer.radio.connectionInterval
            ),
            height: 520
        )
    }

    // MARK: - Series

    /// A line for each mode, below that of the ceiling.
    private func series<Value>(
        _ values: [Value],
        x: (Value) -> Double,
        _ transfer: (WriteMode, Value) -> RadioTransfer
    ) -> [Series] {
        let ceiling = Series(
            name: "ceiling without response",
            style: Self.ceiling,
            points: values.map { value in
                let transfer = transfer(.withoutResponse(.automatic), value)
                return (x: x(value), y: transfer.ceilingBytesPerSecond / 1_000)
            }
        )
        return [ceiling]
            + ReportRuns.plottedModes.map { mode in
                Series(
                    name: mode.name,
                    style: Self.styles[mode] ?? Self.ceiling,
                    points: values.map { (x: x($0), y: runs.kilobytes(transfer(mode, $0))) }
                )
            }
    }

    private static func milliseconds(_ span: Microseconds) -> Double {
        Double(span.rawValue) / 1_000
    }
}
