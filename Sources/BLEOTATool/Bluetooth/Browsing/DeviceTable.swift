#if BlueZ
import BLEOTA
import BLEOTABlueZ
import BlueZ
import Synchronization

/// The devices that a scan finds: on a terminal a table that changes in place, otherwise one line
/// per change.
final class DeviceTable: Sendable {
    private static let rowCountMax = 200

    private let isLive: Bool
    private let rows = Mutex<[BluetoothAddress: Discovery]>([:])
    private let lines = LiveLines(on: .standardOutput)

    init(isLive: Bool) { self.isLive = isLive }

    func show(_ found: Discovery) {
        rows.withLock { rows in
            guard rows[found.address] != nil || rows.count < Self.rowCountMax else { return }
            rows[found.address] = found
            guard isLive else { return Terminal.printLine(Self.row(found)) }
            draw(rows.values.map { $0 })
        }
    }

    private func draw(_ rows: [Discovery]) {
        let room = max(Terminal.rowCount - 2, 1)
        let nearest = rows.sorted {
            ($0.rssi ?? -128, $1.address) > ($1.rssi ?? -128, $0.address)
        }
        let texts = [Self.heading] + nearest.prefix(room).map(Self.row)
        lines.show(texts.map { text in { TerminalText.fitted(text, columnCountMax: $0) } })
    }

    /// Ends the table; later output begins below it.
    func close() { lines.keep() }

    func end(afterSeconds seconds: Int) {
        guard rows.withLock(\.isEmpty) else { return }
        Terminal.printErrorLine(
            "No device was found within \(seconds) s; check that the device advertises, or scan "
                + "longer with --duration."
        )
    }

    private static let heading =
        column("ADDRESS", 19) + column("RSSI", 6) + column("NAME", 26) + "SERVICES AND DATA"

    private static func row(_ found: Discovery) -> String {
        var parts: [String] = []
        if found.runsBleota {
            let firmware = found.advertisedFirmware
            parts.append(firmware?.version.map { "bleota, firmware \($0)" } ?? "bleota")
            if firmware?.wantsUpdate == true { parts.append("wants an update") }
        }
        let others = Protocols.others.filter(found.speaks)
        parts += others.map(\.name)
        if found.isConnected { parts.append("connected") }
        let known = [GATTIdentifiers.service] + others.flatMap(\.services)
        parts += found.services.filter { !known.contains($0.text) }
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

    private static func column(_ text: String, _ columnCount: Int) -> String {
        TerminalText.padded(text, columnCount: columnCount - 1) + " "
    }
}

extension Discovery {
    /// Whether the device advertises a service of this protocol.
    func speaks(_ updateProtocol: any UpdateProtocol) -> Bool {
        updateProtocol.services.contains { text in BluetoothUUID(text).map(tells) ?? false }
    }
}
#endif
