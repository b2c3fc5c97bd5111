/// The devices that a campaign is for.
package struct Selection: Sendable, Hashable {
    package let hardware: HardwareName
    /// `nil` for all groups.
    package let group: GroupName?
    /// Devices that run this version or a later one; `nil` for any.
    package let oldest: FirmwareVersion?

    package init(hardware: HardwareName, group: GroupName? = nil, oldest: FirmwareVersion? = nil) {
        self.hardware = hardware
        self.group = group
        self.oldest = oldest
    }

    /// Whether the campaign is for a device that runs something older than `target`.
    package func has(_ device: DeviceRecord, before target: FirmwareVersion) -> Bool {
        has(device.hardware, device.group, device.version, before: target)
    }

    /// The same of a device that is one of many alike.
    package func has(
        _ hardware: HardwareName,
        _ group: GroupName?,
        _ version: FirmwareVersion,
        before target: FirmwareVersion
    ) -> Bool {
        hardware == self.hardware
            && (self.group == nil || group == self.group)
            && (oldest.map { version >= $0 } ?? true)
            && version < target
    }
}
