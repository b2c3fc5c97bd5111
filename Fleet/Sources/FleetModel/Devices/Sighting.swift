/// That a gateway heard a device, and what the device says of itself.
///
/// Each gateway keeps its own, under its own name.
package struct Sighting: Sendable, Hashable {
    package let hardware: HardwareName
    package let group: GroupName?
    /// What the device says that it runs.
    package let version: FirmwareVersion
    /// How well the gateway hears it.
    package let strength: Strength
    /// When, by the gateway's clock: for people. No decision depends on it.
    package let moment: Moment

    package init(
        hardware: HardwareName,
        group: GroupName? = nil,
        version: FirmwareVersion,
        strength: Strength,
        at moment: Moment
    ) {
        self.hardware = hardware
        self.group = group
        self.version = version
        self.strength = strength
        self.moment = moment
    }
}
