/// The results of several transfers.
public struct WriteModeResults: Sendable {
    /// The transfers without duplicates, in the given order.
    public let transfers: [RadioTransfer]
    private let reports: [RadioTransfer: RadioTransferReport]

    /// Runs the transfers, as many at a time as there are processors. The order of the transfers
    /// does not affect the results.
    public init(of transfers: [RadioTransfer]) async {
        var known: Set<RadioTransfer> = []
        self.transfers = transfers.filter { known.insert($0).inserted }
        reports = await withTaskGroup(
            of: (RadioTransfer, RadioTransferReport?).self
        ) { group in
            for transfer in known { group.addTask { (transfer, transfer.run()) } }
            var reports: [RadioTransfer: RadioTransferReport] = [:]
            for await (transfer, report) in group { reports[transfer] = report }
            return reports
        }
    }

    /// The report of a transfer; `nil` if its image was not verified within an hour, or if the
    /// transfer was not run.
    public subscript(_ transfer: RadioTransfer) -> RadioTransferReport? { reports[transfer] }

    /// The throughput in image bytes per second while the image was sent, excluding the opening,
    /// the manifest and the verification; `nil` if there is no report.
    public func imageGoodput(_ transfer: RadioTransfer) -> Double? {
        reports[transfer]?.imageGoodputBytesPerSecond
    }

    /// The throughput in image bytes per second over the whole transfer; `nil` if there is no
    /// report.
    public func goodput(_ transfer: RadioTransfer) -> Double? {
        reports[transfer]?.goodputBytesPerSecond
    }

    /// ``imageGoodput(_:)`` in percent of ``RadioTransfer/ceilingBytesPerSecond``; `nil` if there
    /// is no report.
    public func percentOfCeiling(_ transfer: RadioTransfer) -> Double? {
        imageGoodput(transfer).map { $0 / transfer.ceilingBytesPerSecond * 100 }
    }

    /// The ratio of the throughput to that of a transfer with response over the same link; `nil`
    /// if either was not run or did not finish.
    public func timesWithResponse(_ transfer: RadioTransfer) -> Double? {
        let other = WriteModeGrid.transfer(over: transfer.radio, .withResponse)
        guard let without = imageGoodput(transfer), let with = imageGoodput(other) else {
            return nil
        }
        return without / with
    }
}
