package import FleetModel

extension FirmwareVersion {
    /// Parses the version that a device advertises or a manifest states: a version, which `+` or
    /// `-` and the number of a build may follow. `nil` if `text` is something else.
    package init?(advertised text: some StringProtocol) {
        self.init(text.prefix { $0 != "+" && $0 != "-" })
    }
}
