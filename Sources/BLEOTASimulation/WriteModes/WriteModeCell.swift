import BLEOTACore

/// A transfer of the grid, compared with a requirement.
public struct WriteModeCell: Sendable, Hashable {
    /// The requirement.
    public let requirement: WriteModeRequirement
    /// The transfer, with its link and write mode.
    public let transfer: RadioTransfer
    /// The result in percent; `nil` if the image was not verified within an hour.
    public let percent: Double?

    /// Whether the transfer meets the requirement.
    public var isReached: Bool { reaches(requirement.percentRequired(transfer)) }

    /// Whether the result meets the given requirement, in percent.
    public func reaches(_ required: Double) -> Bool {
        guard let percent else { return false }
        return requirement.isUpperBound ? percent <= required : percent >= required
    }

    /// Whether the result fails to meet the requirement by a wider margin, or meets it with less to
    /// spare, than the result of another cell.
    func isWorse(than other: WriteModeCell) -> Bool { margin < other.margin }

    private var margin: Double {
        guard let percent else { return -.infinity }
        let margin = percent - requirement.percentRequired(transfer)
        return requirement.isUpperBound ? -margin : margin
    }

    /// A description of the link, such as `1M, 7.5 ms, ATT_MTU 247`, with the loss if there is
    /// any, and the gap between packets if it is not the usual one.
    public var link: String {
        let radio = transfer.radio
        let loss = radio.valueLoss > 0 ? ", \(Int((radio.valueLoss * 100).rounded())) % loss" : ""
        let space = radio.frameSpaces == .usual ? "" : ", \(radio.frameSpaces.words) apart"
        return "\(radio.phy.rawValue), \(radio.intervalWords)\(space), "
            + "ATT_MTU \(radio.attMTU)\(loss)"
    }

    /// The result with one decimal place. It is rounded toward the worse value, so a requirement
    /// that is not met never looks met.
    public var figure: String {
        guard let percent else { return "never" }
        let rounding: FloatingPointRoundingRule = requirement.isUpperBound ? .up : .down
        return "\(((percent * 10).rounded(rounding) / 10).inTenths) %"
    }
}
