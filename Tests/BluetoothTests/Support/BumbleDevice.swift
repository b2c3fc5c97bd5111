import BLEOTA
import BLEOTATestSupport

/// A device of Tests/Devices in the virtual air, behind Bumble as its Bluetooth stack.
final class BumbleDevice {
    /// The protocol that a device speaks.
    enum Kind: String {
        case smp, secure, legacy, esp

        /// Each has its own, and its bootloader the one after it: the daemon remembers which
        /// handles the characteristics of a device have.
        var address: String {
            switch self {
            case .smp: "C2:00:00:00:01:01"
            case .secure: "C2:00:00:00:02:01"
            case .legacy: "C2:00:00:00:03:01"
            case .esp: "C2:00:00:00:04:01"
            }
        }
    }

    static let name = "sensor"

    private let place: ToolDirectory
    private let arguments: [String]
    private(set) var process: RunningTool

    /// Starts it, and waits until it advertises.
    ///
    /// - Parameter options: those of the device.
    init(_ kind: Kind, in place: ToolDirectory, _ options: [String] = []) async throws {
        self.place = place
        arguments =
            [
                Repository.path(of: "Tests/Devices/bumble_shell.py"), "--air", "/run/guest/air",
                "--address", kind.address, "--name", Self.name, "--device", kind.rawValue, "--",
                "--flash", place.path("flash"),
            ]
            + options
        process = try Self.started(arguments, in: place)
        try await happens("advertising")
    }

    private static func started(
        _ arguments: [String],
        in place: ToolDirectory
    ) throws -> RunningTool {
        guard let python = UsesPython.path else { throw GuestFailure(UsesPython.reason) }
        return try RunningTool(arguments, in: place, program: python)
    }

    /// Takes the power away, and gives it back. The device forgets all that was not in its flash
    /// when it was built.
    func cutPower() async throws {
        process.send(9)
        _ = try await process.end()
        process = try Self.started(arguments, in: place)
        try await happens("advertising")
    }

    /// Ends it; it writes its flash first.
    func stop() async throws {
        process.send(15)
        _ = try await process.end(within: 30)
    }

    func happens(_ name: String, times count: Int = 1) async throws {
        try await process.happens(name, times: count)
    }

    func events(_ name: String) -> [Event] { process.events(name) }

    /// The sentences about what a host did against the protocol.
    var violations: [String] { events("violation").map { $0.text("sentence") ?? $0.line } }

    /// The flash as the device wrote it last.
    var flash: [UInt8]? { place.bytes("flash") }
}
