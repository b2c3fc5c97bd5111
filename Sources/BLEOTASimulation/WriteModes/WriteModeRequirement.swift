import BLEOTACore

/// What the project has set itself that an image has to reach over a simulated link, for all cells
/// of the grid that a requirement is about.
public enum WriteModeRequirement: Sendable, Hashable, CaseIterable {
    /// `auto` over 1M and 2M without loss, of the ceiling: at least 97 %, and 95 where an ATT_MTU
    /// is below 185.
    case cleanLink
    /// `auto` over 1M and 2M where 1 % is lost, of the ceiling less what is lost: at least 95 %.
    case onePercentLoss
    /// The same where 5 % is lost.
    case fivePercentLoss
    /// Bursts of W = 12, of W·v/((⌈W/n⌉ + 1)·CI), with v bytes of the image in a frame and n frames
    /// in an event: at least 97 %. A burst takes the events that it fills, and the acknowledgement
    /// the next one.
    case burst12
    /// Write requests, of v/(2·CI): at least 97 %.
    case withResponse
    /// What `auto` has waiting in the host's queue, of what two connection events can send: at most
    /// 100 %, without loss, over all physical layers.
    case queue
    /// The same with loss, over 1M and 2M.
    case queueUnderLoss

    /// In a few words.
    public var name: String {
        switch self {
        case .cleanLink: "clean link"
        case .onePercentLoss: "1 % loss"
        case .fivePercentLoss: "5 % loss"
        case .burst12: "burst 12"
        case .withResponse: "with response"
        case .queue: "queue"
        case .queueUnderLoss: "queue, with loss"
        }
    }

    /// What is measured by what, and over which links.
    var description: String {
        let auto = "`auto`, 1M and 2M, of the ceiling"
        return switch self {
        case .cleanLink: "\(auto): at least 97 %, and 95 % at ATT_MTU 23 and 65"
        case .onePercentLoss, .fivePercentLoss: "\(auto) less what is lost: at least 95 %"
        case .burst12: "*12, wait*, of W·v/((⌈W/n⌉ + 1)·CI): at least 97 %"
        case .withResponse: "of v/(2·CI): at least 97 %"
        case .queue: "`auto`, of what two events can send: at most 100 %"
        case .queueUnderLoss: "`auto`, of the same at 1 % and 5 % loss: at most 100 %"
        }
    }

    /// Whether the figures have to be at most ``percentRequired(_:)``, not at least.
    public var isUpperBound: Bool { self == .queue || self == .queueUnderLoss }

    /// What a cell has to reach, in percent.
    public func percentRequired(_ transfer: RadioTransfer) -> Double {
        switch self {
        case .cleanLink: transfer.radio.attMTU >= 185 ? 97 : 95
        case .onePercentLoss, .fivePercentLoss: 95
        case .burst12, .withResponse: 97
        case .queue, .queueUnderLoss: 100
        }
    }

    /// All cells that it is about, in the order of the results.
    ///
    /// - Parameter results: of ``WriteModeGrid/committed``.
    public func cells(of results: WriteModeResults) -> [WriteModeCell] {
        results.transfers.filter(isAbout).map { transfer in
            let share = results[transfer].map { figure($0) / whole(transfer) }
            return WriteModeCell(
                requirement: self,
                transfer: transfer,
                percent: share.map { $0 * 100 }
            )
        }
    }

    private func isAbout(_ transfer: RadioTransfer) -> Bool {
        switch self {
        case .cleanLink: isAutoUncoded(transfer, valueLoss: 0)
        case .onePercentLoss: isAutoUncoded(transfer, valueLoss: 0.01)
        case .fivePercentLoss: isAutoUncoded(transfer, valueLoss: 0.05)
        case .burst12: transfer.writeMode == .burst12
        case .withResponse: transfer.writeMode == .withResponse
        case .queue: isAuto(transfer) && transfer.radio.valueLoss == 0
        case .queueUnderLoss: isAuto(transfer) && transfer.radio.valueLoss > 0
        }
    }

    private func isAuto(_ transfer: RadioTransfer) -> Bool {
        transfer.writeMode == .withoutResponse(.automatic)
    }

    private func isAutoUncoded(_ transfer: RadioTransfer, valueLoss: Double) -> Bool {
        isAuto(transfer) && [.le1M, .le2M].contains(transfer.radio.phy)
            && transfer.radio.valueLoss == valueLoss
    }

    private func figure(_ report: RadioTransferReport) -> Double {
        switch self {
        case .cleanLink, .onePercentLoss, .fivePercentLoss, .burst12, .withResponse:
            report.imageGoodputBytesPerSecond
        case .queue, .queueUnderLoss: Double(report.hostQueueByteCountMax)
        }
    }

    /// What a figure is a percentage of: bytes a second, and of the queue bytes.
    private func whole(_ transfer: RadioTransfer) -> Double {
        switch self {
        case .cleanLink, .onePercentLoss, .fivePercentLoss, .withResponse:
            transfer.ceilingBytesPerSecond
        case .burst12: transfer.bytesPerSecond(ofBurst: 12)
        case .queue, .queueUnderLoss: Double(transfer.twoEventsByteCount)
        }
    }
}

extension RadioTransfer {
    /// W·v/((⌈W/n⌉ + 1)·CI), in bytes of the image a second.
    fileprivate func bytesPerSecond(ofBurst chunkCount: Int) -> Double {
        let perEvent = frameCountPerEvent
        let eventCount = (chunkCount + perEvent - 1) / perEvent + 1
        let interval = Double(radio.connectionInterval.rawValue) / 1e6
        return Double(chunkCount * chunkByteCount) / (Double(eventCount) * interval)
    }
}
