import BLEOTA
import BLEOTATestSupport
import Glibc

/// `bluetoothctl`, which comes with the daemon, as a person uses it on hci0.
final class UsesBluetoothctl {
    private static let address = Guest.deviceAddress

    private let tool: RunningTool
    private let commands: Int32
    /// How much of the output is from before the last command.
    private var heardCount = 0

    init(in place: ToolDirectory) async throws {
        let path = place.path("commands")
        guard mkfifo(path, 0o600) == 0 else { throw GuestFailure("no pipe \(path)") }
        // Open for both, so that nobody waits for the other.
        commands = open(path, O_RDWR | O_CLOEXEC)
        tool = try RunningTool(
            ["-c", "exec stdbuf -oL bluetoothctl <\"$0\"", path],
            in: place,
            program: "/bin/sh"
        )
        try await tool.wait(for: "a controller") { tool.output.contains(Guest.centralAddress) }
        try await say("select \(Guest.centralAddress)", until: "select")
    }

    deinit { close(commands) }

    /// Gives a command, and waits until the answer has one of these.
    @discardableResult
    func say(_ command: String, until answers: String..., within seconds: Int = 60) async throws
        -> String
    {
        heardCount = tool.output.count
        let line = Array("\(command)\n".utf8)
        guard write(commands, line, line.count) == line.count else {
            throw GuestFailure("bluetoothctl takes no command")
        }
        var heard = ""
        try await UsesPatience.wait(
            for: "\(answers) after \(command); output:\n\(tool.output)",
            within: seconds
        ) {
            heard = String(tool.output.dropFirst(heardCount))
            return answers.contains { heard.contains($0) }
        }
        return heard
    }

    /// Finds the device by a service that it advertises, and connects.
    func connect(service: String) async throws {
        for _ in 0..<15 {
            try await say("info \(Self.address)", until: "not available", "Connected:")
            let begin = heardCount
            // When this is answered, all of the other answer is there.
            try await say("version", until: "Version ")
            if tool.output.dropFirst(begin).contains(service) { break }
            try await say("scan le", until: "Discovery started", "InProgress")
            _ = try? await say("", until: Self.address, within: 4)
            try await say("scan off", until: "Discovery stopped", "Failed to stop")
        }
        for _ in 0..<5 {
            let begin = tool.output.count
            let answer = try await say(
                "connect \(Self.address)",
                until: "Connection successful",
                "Failed to connect",
                "not available"
            )
            guard answer.contains("successful") else { continue }
            // Until then it may show, and lose, the services of an earlier connection.
            return try await UsesPatience.wait(for: "the services; output:\n\(tool.output)") {
                tool.output.dropFirst(begin).contains("ServicesResolved: yes")
            }
        }
        throw GuestFailure("bluetoothctl does not connect:\n\(tool.output)")
    }

    /// Disconnects from the device, and waits until that is done; the releases have two sentences
    /// for that.
    func disconnect() async throws {
        try await say(
            "disconnect \(Self.address)",
            until: "Successful disconnected",
            "Disconnection successful"
        )
    }

    /// Ends it.
    func end() async throws -> String {
        let line = Array("quit\n".utf8)
        _ = write(commands, line, line.count)
        return try await tool.end(within: 30).output
    }
}
