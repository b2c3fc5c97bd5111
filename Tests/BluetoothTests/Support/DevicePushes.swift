import BLEOTA
import BLEOTATestSupport

/// Pushes of the tool from hci0 to a ``BumbleDevice``.
struct DevicePushes {
    let place = ToolDirectory()

    /// The folder of the packages of a kind that a program which is not ours has made.
    func packages(_ kind: String, byteCount: Int) async throws -> String {
        guard let python = UsesPython.path else { throw GuestFailure(UsesPython.reason) }
        let folder = place.path("packages")
        let program = Repository.path(of: "Tests/Devices/packages.py")
        try await Guest.run(python, program, folder, "--only", kind, "--size", "\(byteCount)")
        return folder
    }

    /// A command of the tool for the device.
    func running(_ words: String...) throws -> RunningTool { try running(words) }

    func push(_ path: String, _ arguments: String...) async throws -> ToolResult {
        let result = try await running(["push", path] + arguments).end(within: 240)
        report(result, arguments)
        return result
    }

    private func running(_ words: [String]) throws -> RunningTool {
        let target = ["--device", BumbleDevice.name, "--adapter", Guest.central, "--json"]
        return try RunningTool(words + target, in: place)
    }

    /// Prints how a push ended.
    func report(_ result: ToolResult, _ arguments: [String] = []) {
        let line = result.events.last?.line ?? result.errors
        print("push to a device \(arguments.joined(separator: " ")): \(line)")
    }
}
