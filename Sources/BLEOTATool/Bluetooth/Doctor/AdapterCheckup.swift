#if BlueZ
import BLEOTABlueZ
import BlueZ
import Glibc
import SystemPackage

/// Whether an adapter is usable, and what to do if it is not.
enum AdapterCheckup {
    static func finding(_ adapter: Adapter) -> Finding {
        let address = adapter.address?.text ?? ""
        switch adapter.state {
        case .blocked where adapter.radioBlock == .hard:
            return Finding(
                .problem,
                adapter.name,
                "\(address) is blocked by a hardware switch",
                remedy: "turn on wireless with the machine's switch or key"
            )
        case .blocked:
            return Finding(
                .problem,
                adapter.name,
                "\(address) is blocked",
                remedy: "rfkill unblock bluetooth"
            )
        case .off:
            return Finding(
                .problem,
                adapter.name,
                "\(address) is off",
                remedy: "bluetoothctl power on"
            )
        case .unsupported:
            return Finding(
                .problem,
                adapter.name,
                "\(address) does not support Bluetooth LE",
                remedy: "choose another adapter with --adapter"
            )
        case .on, .resetting, .unknown: return ready(adapter, address)
        }
    }

    /// The finding from the kernel's report if there is no daemon.
    static func findingWithoutDaemon(_ directory: FilePath = "/sys/class/bluetooth") -> Finding {
        let names = Self.names(in: directory)
        guard !names.isEmpty else {
            return Finding(
                .problem,
                "adapter",
                "the kernel has no Bluetooth adapter",
                remedy: "plug one in, or load its driver"
            )
        }
        return Finding(
            .note,
            "adapter",
            "the kernel has \(names.joined(separator: ", ")), but their state is unknown without "
                + "the daemon"
        )
    }

    private static func names(in directory: FilePath) -> [String] {
        guard let entries = directory.withPlatformString(opendir) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            // The name of a connection is the name of its adapter with a colon and a number.
            if name.hasPrefix("hci"), !name.contains(":") { names.append(name) }
        }
        return names.sorted()
    }

    private static func ready(_ adapter: Adapter, _ address: String) -> Finding {
        let roles = adapter.roles.joined(separator: ", ")
        let what = "\(address), \(adapter.state.rawValue), \(roles)"
        let lacking = AdapterRole.allCases.first { !adapter.supports($0) }
        switch lacking {
        case nil: return Finding(.ok, adapter.name, what)
        case .central?: return Finding(.note, adapter.name, "\(what): can receive, but not send")
        case .peripheral?: return Finding(.note, adapter.name, "\(what): can send, but not receive")
        }
    }
}
#endif
