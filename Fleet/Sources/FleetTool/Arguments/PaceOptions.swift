import ArgumentParser
import FleetGateway

/// Shorter times, for the tests of processes, in which a minute of silence is a few seconds.
struct PaceOptions: ParsableArguments {
    @Option(
        name: .customLong("divide-times-by"),
        help: ArgumentHelp(
            "Divide all times by COUNT, for tests.",
            valueName: "COUNT",
            visibility: .hidden
        ),
        transform: Self.count
    )
    var divisor: UInt32 = 1

    var gatewayPace: GatewayPace { GatewayPace(dividedBy: divisor) }

    private static func count(_ text: String) throws -> UInt32 {
        guard let count = UInt32(text), (1...100).contains(count) else {
            throw ValidationError("times are divided by 1 to 100, not '\(text)'")
        }
        return count
    }
}
