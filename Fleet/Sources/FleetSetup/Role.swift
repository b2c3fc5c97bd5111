package import FleetModel

/// What a user of a fleet's servers is for. Each has a key of its own.
package enum Role: Sendable, Hashable {
    /// Makes the store, images and campaigns, and steers them.
    case `operator`
    case controller
    /// Shows everything, and steers campaigns.
    case console
    case gateway(GatewayID)

    /// The roles of which there is one user each.
    package static let single: [Role] = [.operator, .controller, .console]

    /// The name of the role's files. No two roles have the same.
    package var name: String {
        switch self {
        case .operator: "operator"
        case .controller: "controller"
        case .console: "console"
        case .gateway(let id): "gateway-\(id)"
        }
    }
}
