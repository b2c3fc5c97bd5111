package import FleetModel
package import NATS

/// The name of a value on a shelf.
package protocol ShelfName: Sendable, Hashable {
    init?(_ key: Key)
    var key: Key { get }
}

extension Identifier: ShelfName {
    package init?(_ key: Key) { self.init(key.text) }

    /// Each byte of a name may be in a key, and a key may be longer.
    package var key: Key { Key(text)! }
}

/// A device as one gateway has it: `GATEWAY.DEVICE`. A gateway may write what begins with its name.
package struct DeviceAtGateway: ShelfName {
    package let gateway: GatewayID
    package let device: DeviceID

    package init(_ device: DeviceID, at gateway: GatewayID) {
        self.gateway = gateway
        self.device = device
    }

    package init?(_ key: Key) {
        let names = key.text.split(separator: ".", omittingEmptySubsequences: false)
        guard names.count == 2, let gateway = GatewayID(String(names[0])),
            let device = DeviceID(String(names[1]))
        else { return nil }
        self.init(device, at: gateway)
    }

    /// Two names and a dot are 129 bytes at most, of 180.
    package var key: Key { Key("\(gateway).\(device)")! }

    /// All devices of a gateway.
    package static func all(of gateway: GatewayID) -> KeyFilter { KeyFilter("\(gateway).*")! }
    /// A device at all gateways.
    package static func all(of device: DeviceID) -> KeyFilter { KeyFilter("*.\(device)")! }
}
