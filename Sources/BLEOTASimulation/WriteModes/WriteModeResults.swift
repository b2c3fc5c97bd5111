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

    /// Bytes of the image a second while it was sent, without the opening, the manifest and the
    /// verification; `nil` where there is no report.
    public func imageGoodput(_ transfer: RadioTransfer) -> Double? {
        reports[transfer]?.imageGoodputBytesPerSecond
    }

    /// Bytes of the image a second, of the whole transfer; `nil` where there is no report.
    public func goodput(_ transfer: RadioTransfer) -> Double? {
        reports[transfer]?.goodputBytesPerSecond
    }

    /// ``imageGoodput(_:)`` in percent of ``RadioTransfer/ceilingBytesPerSecond``.
    public func percentOfCeiling(_ transfer: RadioTransfer) -> Double? {
        imageGoodput(transfer).map { $0 / transfer.ceilingBytesPerSecond * 100 }
    }

    /// How many times as fast the image is sent as with response over the same link; `nil` where
    /// that was not run.
    public func timesWithResponse(_ transfer: RadioTransfer) -> Double? {
        let other = WriteModeGrid.transfer(over: transfer.radio, .withResponse)
        guard let without = imageGoodput(transfer), let with = imageGoodput(other) else {
            return nil
        }
        return without / with
    }
}
