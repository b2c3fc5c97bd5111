import FleetModel

/// How many devices each gateway has said that it hears, in a term of a controller.
///
/// A gateway may invent devices, and each becomes a record, which stays. So a controller believes
/// each gateway that it hears so many, and no more.
package struct HeardCounts: Sendable {
    /// 200 gateways with so many each are ``Planner/devicesMax``. A gateway of a building hears
    /// thirty.
    package static let usualMax = 10_000

    enum Verdict {
        case believed
        /// It is one too many, for the first time.
        case first
        case tooMany
    }

    let max: Int
    private var counts: [GatewayID: Int] = [:]

    init(max: Int) { self.max = max }

    /// Counts a device that a gateway hears for the first time. One that the gateway forgets stays
    /// counted: otherwise it could name others for ever.
    mutating func hear(at gateway: GatewayID) -> Verdict {
        let count = (counts[gateway] ?? 0) + 1
        guard count <= max + 1 else { return .tooMany }
        counts[gateway] = count
        return count <= max ? .believed : .first
    }
}
