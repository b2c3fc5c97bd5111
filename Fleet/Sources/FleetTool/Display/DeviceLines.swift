import FleetModel

/// Devices as a table for people. In a terminal, a reason that doesn't fit into the line of its
/// device follows below it; elsewhere, each device is one whole line.
struct DeviceLines {
    /// The columns of the terminal; `nil` if the output is none.
    let width: Int?

    static let head = row("DEVICE", "HARDWARE", "VERSION", "STATE")

    func lines(of device: DeviceRecord) -> [String] {
        var state = DeviceState(device).rawValue
        var reason: String?
        if let lease = device.lease {
            state += " at \(lease.gateway)"
        } else {
            reason = device.job?.lastFailure?.detail
            if case .waiting(let attempt, _, .some) = device.job?.state {
                state += " for attempt \(attempt)"
            }
        }
        let start = Self.row(
            device.id.text,
            device.hardware.text,
            device.version.description,
            state
        )
        guard let reason else { return [start] }
        let whole = "\(start): \(reason)"
        guard let width, whole.count > width else { return [whole] }
        return [start + ":"] + Self.wrapped(reason, in: width - 2).map { "  " + $0 }
    }

    /// 20, 16 and 11 columns, three spaces, and 30 for the state.
    private static func row(
        _ device: String,
        _ hardware: String,
        _ version: String,
        _ state: String
    ) -> String {
        Table.line([(text: device, width: 20), (hardware, 16), (version, 11)], state)
    }

    /// The lines of a text, which ends at a space where it can.
    static func wrapped(_ text: String, in width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
