/// That a gateway heard a device, and what the device says of itself.
///
/// Each gateway keeps its own, under its own name.
package struct Sighting: Sendable, Hashable {
    package let hardware: HardwareName
    package let group: GroupName?
    /// What the device says that it runs.
    package let version: FirmwareVersion
    /// How well the gateway hears it, in dBm: from -127 to 20, as Bluetooth says it.
    package let strength: Int8
    /// When, by the gateway's clock: for people. No decision depends on it.
    package let moment: Moment

    /// Makes a sighting; `nil` if the strength is none.
    package init?(
        hardware: HardwareName,
        group: GroupName? = nil,
        version: FirmwareVersion,
        strength: Int8,
        at moment: Moment
    ) {
        guard (-127...20).contains(strength) else { return nil }
        self.hardware = hardware
        self.group = group
        self.version = version
        self.strength = strength
        self.moment = moment
    }
}
