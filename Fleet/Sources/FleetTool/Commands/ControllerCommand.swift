import ArgumentParser
import FleetControl
import FleetMetrics
import FleetModel
import FleetSetup
import FleetStore

/// `bleota-fleet controller`: carries out campaigns.
struct ControllerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controller",
        abstract: "Carry out campaigns: say which gateway updates which device, and when.",
        discussion: """
            Several controllers may run, on any machines. One works, and another takes over within \
            10 seconds when that one falls silent. SIGTERM and SIGINT end a controller, and let \
            another begin at once.
            """
    )

    @Flag(help: "Print each event as a line of JSON.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup(title: "Metrics") var metrics: MetricsOptions
    @OptionGroup var pace: PaceOptions

    func run() async throws {
        try await Command.run(isService: true, on: server) { () async throws(ToolFailure) in
            let id = Self.newID()
            let store = try await server.openStore(as: "bleota-fleet-\(id)", .controller)
            let reading = try await server.openStore(
                as: "bleota-fleet-\(id)-reading",
                .controller
            )
            let display = ControllerDisplay(isJSON: json, name: id)
            let pace = Pace(dividedBy: pace.divisor)
            let counting = ControllerMetrics(MetricsRegistry())
            let controller = Controller(id, store: store, reading: reading, pace: pace) { event in
                counting.count(event)
                display.show(event)
            }
            try await metrics.serving(counting.registry, isJSON: json) {
                () async throws(ToolFailure) in
                do throws(ControllerError) { try await controller.run() } catch {
                    throw ToolFailure(error.reason, as: .controller)
                }
            }
        }
    }

    /// A name that no other process has: 64 random bits.
    private static func newID() -> ControllerID {
        ControllerID("controller-" + String(UInt64.random(in: 0 ... .max), radix: 16))!
    }
}
