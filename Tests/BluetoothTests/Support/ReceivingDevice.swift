import BLEOTA
import BLEOTATestSupport

/// A receiver that advertises on hci1, as a process that can be killed and started again.
final class ReceivingDevice {
    let place: ToolDirectory
    private let arguments: [String]
    private(set) var tool: RunningTool

    /// Starts it, and waits until it advertises.
    init(
        in place: ToolDirectory,
        adapter: String = Guest.device,
        channels: Bool = Guest.hasChannels,
        _ arguments: String...
    ) async throws {
        self.place = place
        self.arguments =
            [
                "receive", "--advertise", "--allow-unsigned", "--adapter", adapter, "--store",
                place.store, "--json",
            ]
            + (channels ? [] : ["--no-l2cap"]) + arguments
        tool = try RunningTool(self.arguments, in: place)
        try await awaitAdvertising()
    }

    /// Starts it again, after it has ended.
    func start() async throws {
        tool = try RunningTool(arguments, in: place)
        try await awaitAdvertising()
    }

    /// Waits until a transfer goes on from what was durable.
    func hasResumed(fromByte point: Int) async throws {
        try await tool.output {
            $0["event"] as? String == "started" && ($0["resumedFromByte"] as? Int ?? 0) >= point
        }
    }

    /// SIGKILL.
    func kill() async throws {
        tool.send(9)
        _ = try await tool.end()
    }

    private func awaitAdvertising() async throws {
        try await tool.output { $0["event"] as? String == "advertising" }
    }

    /// The image that is current.
    var current: [UInt8]? { place.current }

    /// Ends it, as a person would.
    func stop() async throws -> ToolResult {
        tool.send(15)
        return try await tool.end(within: 30)
    }
}

extension ToolDirectory {
    /// Starts a push to the receiving device.
    func pushing(_ image: String, _ arguments: String...) throws -> RunningTool {
        try pushing(image, arguments)
    }

    func pushing(_ image: String, _ arguments: [String]) throws -> RunningTool {
        try RunningTool(
            ["push", image, "--device", Guest.deviceAddress, "--adapter", Guest.central, "--json"]
                + arguments,
            in: self
        )
    }
}

extension RunningTool {
    /// Waits until so much of a push is durable, and more is to come.
    func hasStored(byteCount: Int) async throws {
        try await wait(for: "\(byteCount) bytes stored", within: 240) {
            let events = Event.all(in: output)
            if events.contains(where: { $0.name == "result" || $0.name == "error" }) {
                throw GuestFailure("it is over:\n\(output)\n\(errors)")
            }
            return events.contains {
                $0.name == "progress" && ($0.number("bytes") ?? 0) >= byteCount
            }
        }
    }
}
