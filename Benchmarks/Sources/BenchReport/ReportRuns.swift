import BLEOTACore
import BLEOTASimulation

/// What the report needs to know of simulated links, and where in the results it is.
struct ReportRuns {
    static let plottedIntervals = [7_500, 15_000, 30_000, 50_000, 100_000, 400_000]
        .map { Microseconds($0) }
    static let plottedLosses = [0, 0.005, 0.01, 0.02, 0.05, 0.1]
    static let plottedWindows = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512]
    static let windowIntervals = [7_500, 30_000, 100_000].map { Microseconds($0) }
    static let plottedModes: [WriteMode] = [
        .withoutResponse(.automatic), .withoutResponse(.fixed(chunkCount: 32)), .burst12,
        .withoutResponse(.fieldRule), .withResponse,
    ]
    static let plottedInterval = Microseconds.milliseconds(30)
    static let plottedMTU = 247

    let results: WriteModeResults

    /// Runs all of them.
    init() async { results = await WriteModeResults(of: Self.transfers) }

    private static var transfers: [RadioTransfer] {
        let windows = plottedWindows.map { WriteMode.withoutResponse(.fixed(chunkCount: $0)) }
        return WriteModeGrid().transfers
            + plotted(plottedIntervals, [0], plottedModes)
            + plotted([plottedInterval], plottedLosses, plottedModes)
            + plotted(windowIntervals, [0], windows + [.withoutResponse(.automatic)])
    }

    private static func plotted(
        _ intervals: [Microseconds],
        _ losses: [Double],
        _ modes: [WriteMode]
    ) -> [RadioTransfer] {
        var grid = WriteModeGrid()
        grid.phys = [.le2M]
        grid.attMTUs = [plottedMTU]
        grid.connectionIntervals = intervals
        grid.valueLosses = losses
        grid.modes = modes
        return grid.transfers
    }

    /// Over 2M, with a payload that fits one packet, unless said otherwise.
    static func transfer(
        _ mode: WriteMode,
        phy: PHY = .le2M,
        every interval: Microseconds = plottedInterval,
        attMTU: Int = plottedMTU,
        valueLoss: Double = 0
    ) -> RadioTransfer {
        var grid = WriteModeGrid()
        grid.phys = [phy]
        grid.connectionIntervals = [interval]
        grid.attMTUs = [attMTU]
        grid.valueLosses = [valueLoss]
        grid.modes = [mode]
        return grid.transfers[0]
    }

    /// In kB/s, while the image was sent; 0 where it was never verified.
    func kilobytes(_ transfer: RadioTransfer) -> Double {
        (results.imageGoodput(transfer) ?? 0) / 1_000
    }

    /// A transfer short enough to see each chunk, with a receiver whose memory is small enough to
    /// see its credit.
    static func short(_ mode: WriteMode) -> RadioTransfer {
        var transfer = transfer(mode, valueLoss: 0.02)
        transfer.imageByteCount = 40 << 10
        transfer.receiverBlockCount = 4
        transfer.keepsTimeline = true
        return transfer
    }
}
