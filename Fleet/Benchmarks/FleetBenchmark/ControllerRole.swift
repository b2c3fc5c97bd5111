import FleetControl
import FleetModel
import FleetStore
import FleetTestSupport
import NATS

/// A controller as `bleota-fleet controller` runs it.
enum ControllerRole {
    static func run(at server: ServerAddress) async throws {
        let options = ConnectionOptions(servers: [server])
        let store = try await FleetStore.open(on: try await NATSConnection.open(options))
        let reading = try await FleetStore.open(on: try await NATSConnection.open(options))
        let id = ControllerID("controller-\(UInt32.random(in: 0 ... .max))")!
        let controller = Controller(id, store: store, reading: reading) { event in
            switch event {
            case .waiting, .active, .replaced, .ready, .engineAway: FleetBenchmark.say("\(event)")
            default: break
            }
        }
        try await controller.run()
    }
}
