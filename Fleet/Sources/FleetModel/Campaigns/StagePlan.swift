/// The stages of a campaign: 1 to 16 shares of the selected devices, each larger than the one
/// before, the last the whole.
package struct StagePlan: Sendable, Hashable {
    /// Nobody looks at more stages, and each waits for its last device.
    package static let countMax = 16

    package let shares: [Share]

    /// Makes a plan; `nil` if the shares don't grow from more than nothing to the whole.
    package init?(_ shares: [Share]) {
        guard (1...Self.countMax).contains(shares.count), shares.last == .whole,
            shares.first.map({ $0.basisPoints > 0 }) == true,
            zip(shares, shares.dropFirst()).allSatisfy({ $0 < $1 })
        else { return nil }
        self.shares = shares
    }

    /// How many of `population` devices have been given a job at the end of a stage, from 0.
    package func target(of stage: Int, in population: DeviceCount) -> DeviceCount {
        shares[stage].roundedUp(of: population)
    }
}
