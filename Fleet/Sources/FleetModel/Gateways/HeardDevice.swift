/// A device as a gateway hears it once.
package struct HeardDevice: Sendable, Hashable {
    package let id: DeviceID
    package let hardware: HardwareName
    package let group: GroupName?
    /// What the device says that it runs.
    package let version: FirmwareVersion
    package let strength: Strength

    package init(
        id: DeviceID,
        hardware: HardwareName,
        group: GroupName? = nil,
        version: FirmwareVersion,
        strength: Strength
    ) {
        self.id = id
        self.hardware = hardware
        self.group = group
        self.version = version
        self.strength = strength
    }

    /// What the gateway writes of it.
    ///
    /// - Parameter moment: the present, by the gateway's clock.
    package func sighting(at moment: Moment) -> Sighting {
        Sighting(
            hardware: hardware,
            group: group,
            version: version,
            strength: strength,
            at: moment
        )
    }
}
