package import FleetModel
package import FleetStore

/// What a gateway tells whoever runs it.
package enum GatewayEvent: Sendable, Hashable {
    /// The fleet knows that the gateway is there, and updates so many devices at once.
    case ready(places: UInt8)
    /// A push begins.
    case began(DeviceID, Order)
    /// So many bytes of an image are durable on a device.
    case progressed(DeviceID, PushProgress)
    /// A push has ended.
    case ended(DeviceID, OrderBook.Outcome)
    /// Something can't be written or read at present, and is tried again.
    case engineAway(String)
    /// The engine is there again.
    case engineBack
    /// No device can be heard at present. It is tried again.
    case airAway(String)
    /// Somebody wrote an order that this program can't read, or too many.
    case orderIgnored(String)
}

/// Why a gateway ended by itself.
package enum GatewayError: Error, Sendable, Hashable, CustomStringConvertible {
    case engine(FleetStoreError)
    case air(AirError)

    package var description: String {
        switch self {
        case .engine(let error): error.description
        case .air(let error): error.description
        }
    }
}
