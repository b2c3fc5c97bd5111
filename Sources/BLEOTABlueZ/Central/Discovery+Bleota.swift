package import BlueZ

extension Discovery {
    /// Whether the device runs bleota: it advertises the service's UUID or service data.
    package var runsBleota: Bool { tells(of: UpdateService.uuid) }
}
