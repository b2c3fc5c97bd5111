package import FleetModel

/// What a simulated link does to what it carries.
package struct LinkFaults: Sendable {
    /// The share of data frames that is lost: those without response, which radios and their
    /// stacks lose too.
    package var loss: Share
    /// The data that the link carries, in bytes per second; `nil` for as much as the machine can.
    package var bytesPerSecond: UInt32?
    /// The seed of the losses.
    package var seed: UInt64

    package init(
        loss: Share = Share(basisPoints: 0)!,
        bytesPerSecond: UInt32? = nil,
        seed: UInt64
    ) {
        self.loss = loss
        self.bytesPerSecond = bytesPerSecond
        self.seed = seed
    }
}

/// SplitMix64, whose whole state is its seed.
struct FaultDice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func isHit(_ share: Share) -> Bool {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ (mixed >> 31)) % 10_000 < UInt64(share.basisPoints)
    }
}
