import BLEOTACore

/// A transfer of the grid beside what it has to reach.
public struct WriteModeCell: Sendable, Hashable {
    /// What it has to reach.
    public let requirement: WriteModeRequirement
    /// How it is sent, and over what.
    public let transfer: RadioTransfer
    /// What it reaches; `nil` where the image was not verified within an hour.
    public let percent: Double?

    /// Whether it reaches that.
    public var isReached: Bool { reaches(requirement.percentRequired(transfer)) }

    /// Whether it would reach another figure, in percent.
    public func reaches(_ required: Double) -> Bool {
        guard let percent else { return false }
        return requirement.isUpperBound ? percent <= required : percent >= required
    }

    /// Whether it is farther from what it has to reach than another cell, or less above it.
    func isWorse(than other: WriteModeCell) -> Bool { margin < other.margin }

    private var margin: Double {
        guard let percent else { return -.infinity }
        let margin = percent - requirement.percentRequired(transfer)
        return requirement.isUpperBound ? -margin : margin
    }

    /// The link, such as `1M, 7.5 ms, ATT_MTU 247`, with the loss where there is any, and the space
    /// between packets where it is not the usual one.
    public var link: String {
        let radio = transfer.radio
        let loss = radio.valueLoss > 0 ? ", \(Int((radio.valueLoss * 100).rounded())) % loss" : ""
        let space = radio.frameSpaces == .usual ? "" : ", \(radio.frameSpaces.words) apart"
        return "\(radio.phy.rawValue), \(radio.intervalWords)\(space), "
            + "ATT_MTU \(radio.attMTU)\(loss)"
    }

    /// The figure with one digit after the point, rounded to the side on which less is reached, so
    /// that what is not reached does not look as if it were.
    public var figure: String {
        guard let percent else { return "never" }
        let rounding: FloatingPointRoundingRule = requirement.isUpperBound ? .up : .down
        return "\(((percent * 10).rounded(rounding) / 10).inTenths) %"
    }
}
