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
        guard
            let sighting = Sighting(
                hardware: hardware,
                group: group,
                version: version,
                strength: strength.dBm,
                at: moment
            )
        else { preconditionFailure("\(strength.dBm) dBm is a strength") }
        return sighting
    }
}

/// How well a device is heard, in dBm: -127 to 20, as Bluetooth says it.
package struct Strength: Sendable, Hashable {
    package let dBm: Int8

    /// Makes a strength; `nil` if Bluetooth can't say it.
    package init?(dBm: Int) {
        guard let value = Int8(exactly: dBm), (-127...20).contains(value) else { return nil }
        self.dBm = value
    }

    /// The difference of two strengths, without its sign.
    func distance(to other: Strength) -> Int { abs(Int(dBm) - Int(other.dBm)) }
}
