import BLEOTATestSupport
import Glibc

/// The guest in which these tests run: a real Bluetooth daemon with two emulated controllers, hci0
/// and hci1, and the means to disturb it (scripts/guest.sh).
enum Guest {
    /// Whether this is the guest, started with these settings of the daemon: `plain`, or what
    /// `BLEOTA_GUEST` says.
    static func runs(_ settings: String) -> Bool {
        getenv("BLEOTA_GUEST").map { String(cString: $0) } == settings
    }

    /// The adapter that plays the central, and the one that plays the device.
    static let central = "hci0"
    static let device = "hci1"
    static let deviceAddress = "00:AA:01:01:00:01"
    /// Where there are three controllers.
    static let otherDevice = "hci2"
    static let otherDeviceAddress = "00:AA:01:02:00:02"

    static func stallRadio() async throws { try await run("guest-radio", "stall") }

    static func resumeRadio() async throws { try await run("guest-radio", "resume") }

    static func switchAdapter(_ name: String, on isOn: Bool) async throws {
        try await run("guest-adapter", name, isOn ? "on" : "off")
    }

    static func restartDaemon() async throws { try await run("guest-bluetoothd", "restart") }

    static func stopDaemon() async throws { try await run("guest-bluetoothd", "stop") }

    static func startDaemon() async throws { try await run("guest-bluetoothd", "start") }

    /// The resident memory of the daemon.
    static func daemonResidentByteCount() async throws -> Int {
        let answer = try await run("guest-bluetoothd", "rss")
        let kilobytes = answer.split(whereSeparator: \.isWhitespace).first.flatMap { Int($0) }
        return try kilobytes.map { $0 * 1_024 } ?? { throw GuestFailure(answer) }()
    }

    @discardableResult
    static func run(_ program: String, _ arguments: String...) async throws -> String {
        let place = ToolDirectory()
        let tool = try RunningTool(
            ["-c", "exec \"$0\" \"$@\"", program] + arguments,
            in: place,
            program: "/bin/sh"
        )
        let result = try await tool.end(within: 60)
        guard result.status == 0 else {
            throw GuestFailure("\(program) \(arguments): \(result.output)\(result.errors)")
        }
        return result.output
    }
}

struct GuestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
