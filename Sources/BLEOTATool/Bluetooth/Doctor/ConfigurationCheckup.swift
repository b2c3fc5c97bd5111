#if BlueZ
import BLEOTABlueZ

/// Checks the daemon's settings for any that slow transfers down or prevent them.
enum ConfigurationCheckup {
    /// The longest connection interval that counts as fast, in units of 1.25 ms. Over LE 1M, a long
    /// push is fastest with 30 ms; whatever waits for a response, with 15 ms.
    private static let fastIntervalMax = 24
    /// The shortest supervision timeout that is not reported, in units of 10 ms.
    private static let supervisionTimeoutMin = 200

    static func findings(
        _ configuration: DaemonConfiguration,
        version: String?
    ) -> [Finding] {
        [
            channels(configuration, version), cache(configuration), attMTU(configuration),
            interval(configuration), supervision(configuration),
        ]
    }

    /// Checks the number of EATT channels. Before release 5.67, the daemon used three by default.
    /// Using several channels is slower and reorders writes.
    private static func channels(
        _ configuration: DaemonConfiguration,
        _ version: String?
    ) -> Finding {
        let numbers = (version ?? "").split(separator: ".").compactMap { Int($0) }
        let isOld = numbers.count == 2 && (numbers[0], numbers[1]) < (5, 67)
        let set = configuration.number("GATT.Channels")
        guard set != nil || version != nil else {
            return Finding(
                .note,
                "GATT channels",
                "not set, which means 3 before BlueZ 5.67, and the release isn't known: writes "
                    + "without response would be slower and might arrive out of order",
                remedy: change("GATT", "Channels = 1")
            )
        }
        let count = set ?? (isOld ? 3 : 1)
        guard count > 1 else { return Finding(.ok, "GATT channels", "1") }
        return Finding(
            .note,
            "GATT channels",
            "\(count): writes without response are slower and may arrive out of order",
            remedy: change("GATT", "Channels = 1")
        )
    }

    private static func cache(_ configuration: DaemonConfiguration) -> Finding {
        let cache = configuration["GATT.Cache"] ?? "always"
        guard cache == "always" else { return Finding(.ok, "GATT cache", cache) }
        return Finding(
            .note,
            "GATT cache",
            "always: services that an update adds to a device may stay hidden",
            remedy: change("GATT", "Cache = yes")
        )
    }

    private static func attMTU(_ configuration: DaemonConfiguration) -> Finding {
        let attMTU = configuration.number("GATT.ExchangeMTU") ?? 517
        guard attMTU < 247 else { return Finding(.ok, "ATT_MTU", "\(attMTU)") }
        return Finding(
            .problem,
            "ATT_MTU",
            "\(attMTU): frames are small, so transfers are slow",
            remedy: change("GATT", "ExchangeMTU = 517")
        )
    }

    private static func interval(_ configuration: DaemonConfiguration) -> Finding {
        guard let longest = configuration.number("LE.MaxConnectionInterval") else {
            return Finding(
                .note,
                "connection interval",
                "set by the kernel to 30 to 50 ms, unless the device requests less",
                remedy: change("LE", "MinConnectionInterval = 12 and MaxConnectionInterval = 12")
            )
        }
        let milliseconds = longest * 5 / 4
        guard longest > fastIntervalMax else {
            return Finding(.ok, "connection interval", "up to \(milliseconds) ms")
        }
        return Finding(
            .note,
            "connection interval",
            "up to \(milliseconds) ms: the connection events of a transfer may be this far apart",
            remedy: change("LE", "MinConnectionInterval = 12 and MaxConnectionInterval = 12")
        )
    }

    private static func supervision(_ configuration: DaemonConfiguration) -> Finding {
        let timeout = configuration.number("LE.ConnectionSupervisionTimeout") ?? 42
        guard timeout < supervisionTimeoutMin else {
            return Finding(.ok, "supervision timeout", "\(timeout * 10) ms")
        }
        return Finding(
            .note,
            "supervision timeout",
            "\(timeout * 10) ms: a short disturbance ends a link",
            remedy: change("LE", "ConnectionSupervisionTimeout = 400")
        )
    }

    private static func change(_ section: String, _ line: String) -> String {
        "in \(DaemonConfiguration.path), set \(line) in section [\(section)]; then run "
            + "systemctl restart bluetooth"
    }
}
#endif
