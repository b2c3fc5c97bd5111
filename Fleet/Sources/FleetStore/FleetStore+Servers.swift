import NATS

/// A server, and how much of the fleet's store it has.
package struct ServerShare: Sendable, Hashable {
    /// The server's name in its configuration.
    package let name: String
    /// The parts of the store that it leads, and those that it has completely, with the former.
    package private(set) var ledCount = 0
    package private(set) var completeCount = 0
    /// All parts that it keeps.
    package private(set) var partCount = 0
    /// Whether the leader of a part does not hear from it.
    package private(set) var isSilent = false
    /// The messages and other steps that it lacks, as far as they are known.
    package private(set) var stepsBehind: UInt64 = 0

    package var isComplete: Bool { completeCount == partCount }

    init(name: String) { self.name = name }

    mutating func add(_ state: StreamKeeper.State) {
        partCount += 1
        switch state {
        case .leads:
            ledCount += 1
            completeCount += 1
        case .follows: completeCount += 1
        case .behind(let stepCount): stepsBehind &+= stepCount
        case .silent: isSilent = true
        }
    }
}

extension FleetStore {
    /// How much of the store each server has, in the order of their names; empty if one server
    /// alone has everything.
    ///
    /// Only for who may ask what a stream is, so not for gateways.
    package var servers: [ServerShare] {
        get async throws(FleetStoreError) {
            var shares: [String: ServerShare] = [:]
            do throws(NATSError) {
                for stream in Part.allCases.map({ StreamName(of: $0.bucket) }) + [AuditLog.stream] {
                    for keeper in try await connection.state(of: stream).keepers {
                        shares[keeper.name, default: ServerShare(name: keeper.name)]
                            .add(keeper.state)
                    }
                }
            } catch {
                throw .nats(error)
            }
            return shares.values.sorted { $0.name < $1.name }
        }
    }
}
