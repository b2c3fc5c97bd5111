package import BlueZ

extension Discovery {
    /// Whether the device runs bleota: it advertises the service's UUID or service data.
    package var runsBleota: Bool { tells(of: UpdateService.uuid) }

    /// The version of the device's firmware, if advertised (spec/bleota.md, section 10). The text
    /// is unauthenticated and may have any content and length.
    package var firmwareVersion: String? {
        serviceData[UpdateService.uuid].flatMap { String(validating: $0, as: UTF8.self) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }
}
