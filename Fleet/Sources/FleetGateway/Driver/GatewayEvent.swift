package import FleetModel
package import FleetStore

/// What a gateway tells whoever runs it.
package enum GatewayEvent: Sendable, Hashable {
    /// The fleet knows that the gateway is there, and updates so many devices at once.
    case ready(places: UInt8)
    /// Another gateway has spoken under the same name. This one waits to see whether it is silent.
    case nameInUse
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
    /// After that, a device is heard again.
    case airBack
    /// A device is there, but says of itself what can't be understood.
    case deviceIgnored(String)
    /// Somebody wrote an order that this program can't read, or too many.
    case orderIgnored(String)
}

/// Why a gateway ended by itself.
package enum GatewayError: Error, Sendable, Hashable, CustomStringConvertible {
    case engine(FleetStoreError)
    case air(AirError)
    /// Another gateway speaks under the same name.
    case nameTaken(GatewayID)

    package var description: String {
        switch self {
        case .engine(let error): error.description
        case .air(let error): error.description
        case .nameTaken(let name):
            "another gateway speaks as \(name): give each gateway a name and a seed of its own"
        }
    }
}
