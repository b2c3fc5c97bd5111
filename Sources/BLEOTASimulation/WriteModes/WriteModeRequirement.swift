import BLEOTACore

/// The project's performance requirements for transfers over simulated links; each applies to
/// certain cells of the grid.
public enum WriteModeRequirement: Sendable, Hashable, CaseIterable {
    /// `auto` over 1M and 2M without loss: at least 97 % of the ceiling, or 95 % if the ATT_MTU
    /// is below 185.
    case cleanLink
    /// `auto` over 1M and 2M with 1 % loss: at least 95 % of ceiling · (1 − loss).
    case onePercentLoss
    /// `auto` over 1M and 2M with 5 % loss: at least 95 % of ceiling · (1 − loss).
    case fivePercentLoss
    /// Bursts of W = 12: at least 97 % of W·v/((⌈W/n⌉ + 1)·CI), with v bytes of the image in a
    /// frame, n frames in an event, and a connection interval CI. A burst takes the events that it
    /// fills, and its acknowledgement takes the next one. If a host needs h events to answer, the
    /// acknowledgement is sent in the h-th event after the burst, and the next burst begins in the
    /// h-th event after that.
    case burst12
    /// Write requests: at least 97 % of v/(2·CI), with v and CI as in ``burst12``, or of
    /// ``RadioSettings/requestCeiling(ofValue:)`` if hosts need longer than an event to answer.
    case withResponse
    /// `auto` over all physical layers without loss: the host's queue holds at most 100 % of the
    /// bytes that two connection events can carry.
    case queue
    /// `auto` with loss: the same limit on the host's queue.
    case queueUnderLoss

    /// The name as a short phrase.
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

    /// A description of the links, the measure and the limit.
    var description: String {
        let auto = "`auto`, 1M and 2M, of the ceiling"
        return switch self {
        case .cleanLink: "\(auto): at least 97 %, and 95 % at ATT_MTU 23 and 65"
        case .onePercentLoss, .fivePercentLoss: "\(auto) less what is lost: at least 95 %"
        case .burst12: "*12, wait*, compared with W·v/((⌈W/n⌉ + 1)·CI): at least 97 %"
        case .withResponse: "compared with v/(2·CI): at least 97 %"
        case .queue: "queue of `auto`, in share of the bytes that two events carry: at most 100 %"
        case .queueUnderLoss: "the same at 1 % and 5 % loss: at most 100 %"
        }
    }

    /// Whether ``percentRequired(_:)`` is an upper bound for the figures and not a lower bound.
    public var isUpperBound: Bool { self == .queue || self == .queueUnderLoss }

    /// The required figure of a cell, in percent.
    public func percentRequired(_ transfer: RadioTransfer) -> Double {
        switch self {
        case .cleanLink: transfer.radio.attMTU >= 185 ? 97 : 95
        case .onePercentLoss, .fivePercentLoss: 95
        case .burst12, .withResponse: 97
        case .queue, .queueUnderLoss: 100
        }
    }

    /// The physical layers on which the committed results compare `auto` with the ceiling.
    public static let uncodedPHYs = [PHY.le1M, .le2M]

    /// Returns all cells to which the requirement applies, in the order of the results.
    ///
    /// - Parameters:
    ///   - results: the results of ``WriteModeGrid/committed`` or ``WriteModeGrid/newRadios``.
    ///   - phys: the physical layers on which `auto` is compared with the ceiling.
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

    /// The figure that counts as 100 %, in bytes per second, or in bytes for the queue.
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
    /// The expected throughput of bursts in image bytes per second: W·v/((⌈W/n⌉ + 2·h − 1)·CI),
    /// with the symbols of ``WriteModeRequirement/burst12``.
    fileprivate func bytesPerSecond(ofBurst chunkCount: Int) -> Double {
        let eventCount =
            radio.eventCount(ofValues: chunkCount, frameByteCount)
            + 2 * radio.hostEventCount - 1
        let interval = Double(radio.connectionInterval.rawValue) / 1e6
        return Double(chunkCount * chunkByteCount) / (Double(eventCount) * interval)
    }
}

extension RadioSettings {
    /// h: the number of events until a host can answer a value, 1 for the next event. A value
    /// that arrives late in its event may be answered one event later.
    fileprivate var hostEventCount: Int {
        Int(hostLatency.rawValue / connectionInterval.rawValue) + 1
    }
}
