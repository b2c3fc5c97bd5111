/// What became of some transfers.
public struct WriteModeResults: Sendable {
    /// Each of them once, in the order in which they were given.
    public let transfers: [RadioTransfer]
    private let reports: [RadioTransfer: RadioTransferReport]

    /// Runs the transfers, as many at a time as there are processors. The order makes no
    /// difference to what comes out.
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

    /// What became of a transfer; `nil` if its image was not verified within an hour, or if it was
    /// not among those that were run.
    public subscript(_ transfer: RadioTransfer) -> RadioTransferReport? { reports[transfer] }

    /// Bytes of the image a second; `nil` where there is no report.
    public func goodput(_ transfer: RadioTransfer) -> Double? {
        reports[transfer]?.goodputBytesPerSecond
    }

    /// The same in percent of ``RadioTransfer/ceilingBytesPerSecond``.
    public func percentOfCeiling(_ transfer: RadioTransfer) -> Double? {
        goodput(transfer).map { $0 / transfer.ceilingBytesPerSecond * 100 }
    }

    /// How many times as fast a transfer is as the one with response over the same link; `nil`
    /// where that was not run.
    public func timesWithResponse(_ transfer: RadioTransfer) -> Double? {
        let other = WriteModeGrid.transfer(over: transfer.radio, .withResponse)
        guard let without = goodput(transfer), let with = goodput(other) else { return nil }
        return without / with
    }
}
