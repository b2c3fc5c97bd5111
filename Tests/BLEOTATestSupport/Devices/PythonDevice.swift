import Foundation
import Glibc
import Synchronization

/// A device that is a program of Tests/Devices, and the events that it prints.
package final class PythonDevice: Sendable {
    /// The interpreter of the environment that scripts/devices.sh makes.
    package static let interpreter = Repository.path(of: ".build-devices/bin/python")

    /// Whether devices can be started. If they can't, tests with devices are skipped, unless the
    /// environment has `BLEOTA_REQUIRE_DEVICES=1`.
    package static let areAvailable =
        FileManager.default.isExecutableFile(atPath: interpreter)
        || ProcessInfo.processInfo.environment["BLEOTA_REQUIRE_DEVICES"] == "1"

    /// The reason that a skipped test gives.
    package static let whyUnavailable = "scripts/devices.sh makes the Python of the devices"

    /// Where the files of the device are.
    package let place: ToolDirectory
    package let socketPath: String
    /// Where the device writes its flash.
    package let flashPath: String
    private let process: RunningTool

    /// Starts a device and waits until it listens.
    ///
    /// - Parameters:
    ///   - program: the file in Tests/Devices, such as `smp_device.py`.
    ///   - arguments: all but the socket and the file of the flash, which the device gets anyway.
    ///   - usesSocket: false for a device that is not reached by GATT.
    package init(
        _ program: String,
        _ arguments: [String] = [],
        usesSocket: Bool = true
    ) async throws {
        place = ToolDirectory()
        socketPath = place.path("device.socket")
        flashPath = place.path("flash")
        let socket = usesSocket ? ["--socket", socketPath] : []
        let words = [Repository.path(of: "Tests/Devices/" + program)] + socket
        process = try RunningTool(
            words + ["--flash", flashPath] + arguments,
            in: place,
            program: Self.interpreter
        )
        if usesSocket { try await waitForEvent("listening") }
    }

    /// Runs a program of Tests/Devices to its end, and returns the lines of JSON that it prints.
    package static func run(
        _ program: String,
        _ arguments: [String],
        in place: ToolDirectory
    ) async throws -> [Event] {
        let words = [Repository.path(of: "Tests/Devices/" + program)] + arguments
        let process = try RunningTool(words, in: place, program: interpreter)
        let result = try await process.end()
        guard result.status == 0 else { throw ToolTimeout(description: result.errors) }
        return result.events
    }

    /// The events so far.
    package var events: [Event] { Event.all(in: process.output) }

    /// The sentences about what a host did against the protocol.
    package var violations: [String] {
        events.filter { $0.name == "violation" }.map { $0.text("sentence") ?? $0.line }
    }

    /// What the device printed besides its events, such as a traceback.
    package var errors: String { process.errors }

    /// Waits until the device has printed an event with this name.
    package func waitForEvent(_ name: String, count: Int = 1) async throws {
        try await process.wait(for: "the event \(name)") {
            events.count { $0.name == name } >= count
        }
    }

    /// Ends the device, which writes its flash first.
    package func end() async throws {
        process.send(SIGTERM)
        _ = try await process.end(within: 20)
    }

    /// The flash as the device wrote it last; a device with several parts adds a suffix to each.
    package func flash(_ suffix: String = "") throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: flashPath + suffix)))
    }
}
