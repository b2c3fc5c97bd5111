import BLEOTA
import BLEOTATestSupport
import BlueZ
import Glibc

/// The guest in which these tests run: a real Bluetooth daemon with two emulated controllers, hci0
/// and hci1, and the means to disturb it (scripts/guest.sh); or this machine with two adapters of
/// its own, which are not disturbed as much (`scripts/test-bluez.sh --adapters`).
enum Guest {
    /// Whether this is the guest, started with these settings of the daemon: `plain`, or what
    /// `BLEOTA_GUEST` says. In a guest whose settings end with `+l2cap`, the same tests run over
    /// L2CAP channels.
    static func runs(_ settings: String) -> Bool {
        [settings, settings + channels].contains(environment("BLEOTA_GUEST"))
    }

    private static let channels = "+l2cap"

    /// Whether the receivers of this guest offer L2CAP channels.
    static let hasChannels = environment("BLEOTA_GUEST")?.hasSuffix(channels) ?? false

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Whether the controllers are emulated: they can be stalled and unplugged, and their daemon
    /// ended, without anybody else noticing.
    static let isEmulated = environment("BLEOTA_CENTRAL") == nil

    /// The adapter that plays the central, and the one that plays the device.
    static let central = environment("BLEOTA_CENTRAL") ?? "hci0"
    static let centralAddress = environment("BLEOTA_CENTRAL_ADDRESS") ?? "00:AA:01:00:00:00"
    static let device = environment("BLEOTA_DEVICE") ?? "hci1"
    static let deviceAddress = environment("BLEOTA_DEVICE_ADDRESS") ?? "00:AA:01:01:00:01"
    /// Where there are three controllers.
    static let otherDevice = "hci2"
    static let otherDeviceAddress = "00:AA:01:02:00:02"

    /// Whether the guest is made from a later release than the machine's, with BlueZ 5.82.
    static let isOfLaterRelease = environment("BLEOTA_GUEST_RELEASE") != nil

    /// Lets the central's daemon forget all devices, with their services and bonds.
    static func forgetDevices() async throws {
        let client = try await BlueZClient.open(within: .seconds(30))
        defer { client.close() }
        let adapter = try client.adapter(central)
        for device in adapter.devices { try? await adapter.remove(device) }
    }

    static func stallRadio() async throws { try await run("guest-radio", "stall") }

    static func resumeRadio() async throws { try await run("guest-radio", "resume") }

    /// Takes the controllers away, as if unplugged.
    static func stopRadio() async throws { try await run("guest-radio", "stop") }

    static func startRadio() async throws { try await run("guest-radio", "start") }

    static func switchAdapter(_ name: String, on isOn: Bool) async throws {
        try await run("guest-adapter", name, isOn ? "on" : "off")
    }

    static func restartDaemon() async throws { try await run("guest-bluetoothd", "restart") }

    static func stopDaemon() async throws { try await run("guest-bluetoothd", "stop") }

    static func startDaemon() async throws { try await run("guest-bluetoothd", "start") }

    /// What the daemon thinks and last did, for whoever looks into a failure.
    static func stateOfDaemon() async throws -> String {
        // Without a daemon bluetoothctl would wait for one.
        let words = ["show \(centralAddress)", "show \(deviceAddress)", "info \(deviceAddress)"]
        let commands = words.map { "timeout 10 bluetoothctl \($0)" } + ["true"]
        let adapters = try await run("sh", "-c", commands.joined(separator: "; "))
        guard isEmulated else { return adapters }
        let log = try await run("guest-bluetoothd", "log").split(separator: "\n").suffix(60)
        return adapters + log.joined(separator: "\n")
    }

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
