import FleetModel
import FleetStore

extension Shelf {
    /// Everything that is on the shelf now. What is written meanwhile may come twice, the later
    /// revision second.
    func forEach(_ body: (Entry) -> Void) async throws(ToolFailure) {
        do throws(FleetStoreError) {
            for try await change in try await watch() {
                switch change {
                case .value(let entry): body(entry)
                case .caughtUp: return
                case .deleted, .unreadable, .startedOver: break
                }
            }
        } catch {
            throw ToolFailure(error)
        }
        throw ToolFailure(.interrupted, "stopped before everything was read")
    }
}
