#if BlueZ
import BLEOTABlueZ

/// Whether an adapter can be used, and what to do if not.
enum AdapterCheckup {
    static func finding(_ adapter: Adapter) -> Finding {
        let address = adapter.address?.text ?? ""
        switch adapter.state {
        case .blocked where adapter.radioBlock == .hard:
            return Finding(
                .problem,
                adapter.name,
                "\(address) is blocked by a hardware switch",
                remedy: "turn on the machine's switch or key for wireless"
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
                "\(address) does not do Bluetooth LE",
                remedy: "use another adapter, with --adapter"
            )
        case .on, .resetting, .unknown: return ready(adapter, address)
        }
    }

    private static func ready(_ adapter: Adapter, _ address: String) -> Finding {
        let roles = adapter.roles.joined(separator: ", ")
        let what = "\(address), \(adapter.state.rawValue), \(roles)"
        let lacking = AdapterRole.allCases.first { !adapter.supports($0) }
        switch lacking {
        case nil: return Finding(.ok, adapter.name, what)
        case .central?: return Finding(.note, adapter.name, "\(what): it can receive, not send")
        case .peripheral?: return Finding(.note, adapter.name, "\(what): it can send, not receive")
        }
    }
}
#endif
