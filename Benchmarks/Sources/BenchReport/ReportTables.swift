import BLEOTACore
import BLEOTASimulation

/// The tables of the simulated links.
struct ReportTables {
    let runs: ReportRuns

    /// The whole grid, a table for each physical layer.
    var grid: [ReportTable] {
        PHY.allCases.map { phy in
            var grid = WriteModeGrid()
            grid.phys = [phy]
            grid.modes = [.withoutResponse(.automatic)]
            return ReportTable(
                title: "Goodput over \(phy.rawValue) in kB/s, and in percent of the ceiling",
                origin: .simulated,
                columns: ["interval", "ATT_MTU", "loss"] + WriteMode.compared.map(\.name)
                    + ["auto : with response"],
                rows: grid.transfers.map(row),
                isFolded: true
            )
        }
    }

    /// What the two bar plots show, and the ceilings.
    var summary: ReportTable {
        var grid = WriteModeGrid()
        grid.phys = [.le2M]
        grid.valueLosses = [0]
        grid.modes = [.withoutResponse(.automatic)]
        return ReportTable(
            title: "With against without response over 2M, no loss, in kB/s",
            origin: .simulated,
            columns: [
                "interval", "ATT_MTU", "ceiling without", "auto", "of it", "with response", "ratio",
            ],
            rows: grid.transfers.map { transfer in
                let with = WriteModeGrid.transfer(over: transfer.radio, .withResponse)
                return [
                    Self.interval(transfer), "\(transfer.radio.attMTU)",
                    Figures.rate(transfer.ceilingBytesPerSecond), rate(transfer),
                    runs.results.percentOfCeiling(transfer).map(Figures.percent) ?? "",
                    rate(with), ratio(transfer),
                ]
            }
        )
    }

    private func row(_ transfer: RadioTransfer) -> [String] {
        let cells = WriteMode.compared.map { mode in
            let transfer = WriteModeGrid.transfer(over: transfer.radio, mode)
            let share = runs.results.percentOfCeiling(transfer)
            return rate(transfer) + (share.map { " (\(Figures.percent($0)))" } ?? "")
        }
        return [
            Self.interval(transfer), "\(transfer.radio.attMTU)",
            "\(Int((transfer.radio.valueLoss * 100).rounded())) %",
        ] + cells + [ratio(transfer)]
    }

    private func rate(_ transfer: RadioTransfer) -> String {
        runs.results.imageGoodput(transfer).map(Figures.rate) ?? "never"
    }

    private func ratio(_ transfer: RadioTransfer) -> String {
        runs.results.timesWithResponse(transfer).map { "× \(Figures.ratio($0))" } ?? ""
    }

    private static func interval(_ transfer: RadioTransfer) -> String {
        "\(Figures.milliseconds(transfer.radio.connectionInterval)) ms"
    }
}
