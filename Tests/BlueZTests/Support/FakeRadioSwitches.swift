import BLEOTATestSupport
import Foundation

/// The kernel's radio switches as `/sys/class/bluetooth` shows them, set by a test.
final class FakeRadioSwitches: Sendable {
    private let place = ToolDirectory()

    /// What a client is to look at.
    var folder: String { place.root }

    /// Sets a switch of an adapter.
    func set(soft: Bool, hard: Bool, of adapter: String = "hci0", number: Int = 0) throws {
        let folder = "\(adapter)/rfkill\(number)"
        try FileManager.default.createDirectory(
            atPath: place.path(folder),
            withIntermediateDirectories: true
        )
        place.write(Array(soft ? "1\n".utf8 : "0\n".utf8), to: "\(folder)/soft")
        place.write(Array(hard ? "1\n".utf8 : "0\n".utf8), to: "\(folder)/hard")
    }
}
