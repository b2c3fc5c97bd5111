#if BlueZ
/// Reports the daemon's release, and a fault of that release that can end the daemon.
enum DaemonCheckup {
    /// The file that `systemctl edit bluetooth` writes.
    private static let overrides = "/etc/systemd/system/bluetooth.service.d/override.conf"
    /// The faults that ended the daemon in tests with Debian's packages (docs/bluetooth.md).
    private static let faults = [
        "5.66": "can crash if a link ends while it discovers services",
        "5.82": "can crash if a link ends while a peer reads",
    ]

    /// - Parameters:
    ///   - version: the daemon's version; `nil` if it is unknown.
    ///   - unit: the administrator's changes to the daemon's unit.
    static func finding(
        version: String?,
        unit: DaemonConfiguration = .read(overrides)
    ) -> Finding {
        guard let version else { return Finding(.ok, "daemon", "BlueZ of unknown version") }
        let name = "BlueZ \(version)"
        let restarts = unit["Service.Restart"] ?? "no"
        guard restarts == "no", let fault = faults[version] else {
            return Finding(.ok, "daemon", name)
        }
        return Finding(
            .note,
            "daemon",
            "\(name): \(fault)",
            remedy: "run systemctl edit bluetooth, and add Restart=on-failure to [Service]"
        )
    }
}
#endif
