#if BlueZ
import BLEOTA
import BLEOTABlueZ
import Synchronization

/// The devices that a scan finds: a table that changes in place on a terminal, else a line for
/// each piece of news.
final class DeviceTable: Sendable {
    private struct State {
        var rows: [BluetoothAddress: Discovery] = [:]
        var shownLineCount = 0
    }

    private static let rowCountMax = 200

    private let isLive: Bool
    private let state = Mutex(State())

    init(isLive: Bool) { self.isLive = isLive }

    func show(_ found: Discovery) {
        state.withLock { state in
            guard state.rows[found.address] != nil || state.rows.count < Self.rowCountMax else {
                return
            }
            state.rows[found.address] = found
            guard isLive else { return Terminal.printLine(Self.row(found)) }
            draw(&state)
        }
    }

    private func draw(_ state: inout State) {
        let room = max(Terminal.rowCount - 2, 1)
        let rows = state.rows.values.sorted {
            ($0.rssi ?? -128, $1.address) > ($1.rssi ?? -128, $0.address)
        }
        let lines = [Self.heading] + rows.prefix(room).map(Self.row)
        // Up to the first line that was shown, then each anew.
        var text = state.shownLineCount > 0 ? "\u{1B}[\(state.shownLineCount)A" : ""
        for line in lines { text += "\u{1B}[2K\(line.prefix(Terminal.columnCount - 1))\n" }
        Terminal.printText(text)
        state.shownLineCount = lines.count
    }

    func end(afterSeconds seconds: Int) {
        let count = state.withLock { $0.rows.count }
        if count == 0 {
            Terminal.printError(
                "No device was heard in \(seconds) s; see that one advertises, or look longer "
                    + "with --duration.\n"
            )
        }
    }

    private static let heading =
        column("ADDRESS", 19) + column("RSSI", 6) + column("NAME", 26) + "SERVICES AND DATA"

    private static func row(_ found: Discovery) -> String {
        var parts: [String] = []
        if found.runsBleota {
            parts.append(found.firmwareVersion.map { "bleota, firmware \(clean($0))" } ?? "bleota")
        }
        if found.isConnected { parts.append("connected") }
        parts += found.services.filter { $0.text != GATTIdentifiers.service }
            .map { $0.name ?? $0.shortText }
        parts += found.manufacturerData.sorted { $0.key < $1.key }
            .map { "\(Discovery.hex($0.key)):\(HexText.text($0.value))" }
        parts += found.serviceData.filter { $0.key.text != GATTIdentifiers.service }
            .sorted { $0.key < $1.key }
            .map { "\($0.key.name ?? $0.key.shortText):\(HexText.text($0.value))" }
        return column(found.address.text, 19)
            + column(found.rssi.map { "\($0)" } ?? "", 6)
            + column(found.name ?? "", 26) + parts.joined(separator: ", ")
    }

    /// Names come from others: what would move the cursor is left out.
    private static func clean(_ text: String) -> String {
        String(text.filter { !$0.isNewline && $0.asciiValue.map { $0 >= 32 } ?? true })
    }

    private static func column(_ text: String, _ width: Int) -> String {
        let cut = clean(text).prefix(width - 1)
        return cut + String(repeating: " ", count: width - cut.count)
    }
}
#endif
