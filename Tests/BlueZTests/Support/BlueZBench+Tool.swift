import BLEOTATestSupport

extension BlueZBench {
    /// Runs the built tool with this bus, until it ends.
    func run(_ arguments: String..., in place: ToolDirectory) async throws -> ToolResult {
        try await RunningTool(
            ["DBUS_SYSTEM_BUS_ADDRESS=\(bus.addressText)", RunningTool.path] + arguments,
            in: place,
            program: "/usr/bin/env"
        ).end(within: 40)
    }
}
