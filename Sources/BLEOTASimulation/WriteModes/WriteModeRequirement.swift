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
    /// the next one; where events are shorter than what a host takes to answer, that is the h-th
    /// next one, and so is the one in which the next burst begins.
    case burst12
    /// Write requests, of v/(2·CI), or what ``RadioSettings/requestCeiling(ofValue:)`` has where
    /// hosts take longer than an event: at least 97 %.
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

    /// The physical layers that `auto` has figures for in the committed grid.
    public static let uncodedPHYs = [PHY.le1M, .le2M]

    /// All cells that it is about, in the order of the results.
    ///
    /// - Parameters:
    ///   - results: of ``WriteModeGrid/committed`` or ``WriteModeGrid/newRadios``.
    ///   - phys: the physical layers whose ceiling `auto` has to come near to.
    public func cells(
        of results: WriteModeResults,
        over phys: [PHY] = Self.uncodedPHYs
    ) -> [WriteModeCell] {
        results.transfers.filter { isAbout($0, phys) }.map { transfer in
            let share = results[transfer].map { figure($0) / whole(transfer) }
            return WriteModeCell(
                requirement: self,
                transfer: transfer,
                percent: share.map { $0 * 100 }
            )
        }
    }

    private func isAbout(_ transfer: RadioTransfer, _ phys: [PHY]) -> Bool {
        let loss = transfer.radio.valueLoss
        let isAutoOverThem = isAuto(transfer) && phys.contains(transfer.radio.phy)
        return switch self {
        case .cleanLink: isAutoOverThem && loss == 0
        case .onePercentLoss: isAutoOverThem && loss == 0.01
        case .fivePercentLoss: isAutoOverThem && loss == 0.05
        case .burst12: transfer.writeMode == .burst12
        case .withResponse: transfer.writeMode == .withResponse
        case .queue: isAuto(transfer) && loss == 0
        case .queueUnderLoss: isAuto(transfer) && loss > 0
        }
    }

    private func isAuto(_ transfer: RadioTransfer) -> Bool {
        transfer.writeMode == .withoutResponse(.automatic)
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
    /// W·v/((⌈W/n⌉ + 2·h − 1)·CI), in bytes of the image a second.
    fileprivate func bytesPerSecond(ofBurst chunkCount: Int) -> Double {
        let eventCount =
            radio.eventCount(ofValues: chunkCount, frameByteCount)
            + 2 * radio.hostEventCount - 1
        let interval = Double(radio.connectionInterval.rawValue) / 1e6
        return Double(chunkCount * chunkByteCount) / (Double(eventCount) * interval)
    }
}

extension RadioSettings {
    /// h: the next event in which a host can answer what came in one, 1 for the very next. What
    /// comes later than at the beginning of that event may be answered an event later.
    fileprivate var hostEventCount: Int {
        Int(hostLatency.rawValue / connectionInterval.rawValue) + 1
    }
}
