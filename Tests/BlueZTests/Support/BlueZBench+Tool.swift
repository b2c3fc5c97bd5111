import BLEOTATestSupport

extension BlueZBench {
    /// Runs the built tool on this bus, until it ends.
    func run(_ arguments: String..., in place: ToolDirectory) async throws -> ToolResult {
        try await RunningTool.run(arguments, on: bus, in: place)
    }
}

extension RunningTool {
    /// Runs the built tool with a bus that it takes for the system's, until it ends.
    static func run(
        _ arguments: [String],
        on bus: PrivateBus,
        in place: ToolDirectory
    ) async throws -> ToolResult {
        try await running(arguments, on: bus, in: place).end(within: 40)
    }

    /// Starts a command of the tool that uses this bus.
    static func running(
        _ arguments: [String],
        on bus: PrivateBus,
        in place: ToolDirectory
    ) throws -> RunningTool {
        try RunningTool(
            ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.addressText)", RunningTool.path] + arguments,
            in: place,
            program: "/usr/bin/env"
        )
    }
}
