package import FleetModel

/// What a device behind a socket says of itself, as a radio would advertise it: a text of lines,
/// each a word and its value.
///
///     hardware lamp
///     group hall
///     version 1.2.0
///     strength -60
///
/// The line of the group may be missing.
package struct Advertisement: Sendable, Hashable {
    /// Two names of 64 bytes, a version of 17, a strength of 4, four words and their spaces are
    /// less than 200.
    package static let byteCountMax = 512

    package var hardware: HardwareName
    package var group: GroupName?
    package var version: FirmwareVersion
    package var strength: Strength

    package init(
        hardware: HardwareName,
        group: GroupName? = nil,
        version: FirmwareVersion,
        strength: Strength
    ) {
        self.hardware = hardware
        self.group = group
        self.version = version
        self.strength = strength
    }

    /// Parses the text; `nil` if it isn't complete, or has anything else in it.
    package init?(_ text: String) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, values.updateValue(parts[1], forKey: parts[0]) == nil else {
                return nil
            }
        }
        guard
            let hardware = values.removeValue(forKey: "hardware").flatMap({
                HardwareName(String($0))
            }),
            let version = values.removeValue(forKey: "version").flatMap({
                FirmwareVersion(advertised: $0)
            }),
            let strength = values.removeValue(forKey: "strength").flatMap({ Int($0) })
                .flatMap({ Strength(dBm: $0) })
        else { return nil }
        let group = values.removeValue(forKey: "group")
        self.init(
            hardware: hardware,
            group: group.flatMap { GroupName(String($0)) },
            version: version,
            strength: strength
        )
        guard values.isEmpty, (group == nil) == (self.group == nil) else { return nil }
    }

    package var text: String {
        """
        hardware \(hardware)
        \(group.map { "group \($0)\n" } ?? "")version \(version)
        strength \(strength.dBm)

        """
    }

    /// Tells about the device that this is.
    package func heard(as id: DeviceID) -> HeardDevice {
        HeardDevice(
            id: id,
            hardware: hardware,
            group: group,
            version: version,
            strength: strength
        )
    }
}
