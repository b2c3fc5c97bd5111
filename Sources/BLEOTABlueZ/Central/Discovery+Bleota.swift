package import BlueZ

extension Discovery {
    /// Whether the device runs bleota: it advertises the service, or data of it.
    package var runsBleota: Bool { tells(of: UpdateService.uuid) }

    /// The version of the firmware that runs on it, if it advertises that (spec/bleota.md, section
    /// 10). It is what a stranger says of itself: any text, of any length.
    package var firmwareVersion: String? {
        serviceData[UpdateService.uuid].flatMap { String(validating: $0, as: UTF8.self) }
            .flatMap { $0.isEmpty ? nil : $0 }
    }
}
