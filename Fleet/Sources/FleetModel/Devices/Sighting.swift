/// That a gateway heard a device.
package struct Sighting: Sendable, Hashable {
    package let gateway: GatewayID
    /// How well it heard it, in dBm: from -127 to 20, as Bluetooth says it.
    package let strength: Int8
    package let moment: Moment

    /// Makes a sighting; `nil` if the strength is none.
    package init?(by gateway: GatewayID, strength: Int8, at moment: Moment) {
        guard (-127...20).contains(strength) else { return nil }
        self.gateway = gateway
        self.strength = strength
        self.moment = moment
    }
}
