import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet devices forget`.
struct ForgetDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Remove devices that are gone for good.",
        discussion: """
            A campaign tries a device that was heard once, and counts it as failed if it doesn't \
            answer. A device that was forgotten is in no list and in no campaign, also not in one \
            that runs. It comes back with a new record within 10 minutes if a gateway still hears \
            it. Its key stays enrolled.

            Example:
              bleota-fleet devices forget B827EB123456
            """
    )

    @Argument(
        help: "Names of the devices.",
        transform: { try Values.name($0, of: DeviceRecord.self) }
    )
    var names: [DeviceID]

    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-devices")
            // Nothing is removed if one of the names is wrong.
            for name in names { _ = try await Self.idle(name, in: store) }
            for name in names {
                try await store.removeNews(KeyFilter("*.\(name)")!)
                let entry = try await Self.idle(name, in: store)
                do throws(FleetStoreError) {
                    try await store.devices.delete(name, after: entry.revision)
                } catch {
                    guard error == .nats(.revisionConflict) else { throw ToolFailure(error) }
                    throw ToolFailure(
                        .temporary,
                        "\(name) has changed meanwhile; run the same command again"
                    )
                }
                let line = JSONObject("forgotten").with("device", name.text)
                Console.print(json ? line.text : "\(name)  forgotten")
                try await store.note("forgot the device \(name)")
            }
        }
    }

    /// The record of a device that no gateway updates.
    private static func idle(
        _ name: DeviceID,
        in store: FleetStore
    ) async throws(ToolFailure) -> Shelf<DeviceID, DeviceRecord>.Entry {
        let entry: Shelf<DeviceID, DeviceRecord>.Entry
        do throws(FleetStoreError) { entry = try await store.devices.get(name) } catch {
            throw error == .nats(.notFound) ? .noDevice(name) : ToolFailure(error)
        }
        if let lease = entry.value.lease {
            throw ToolFailure(
                .temporary,
                "\(name) can't be forgotten yet: \(lease.gateway) is updating it; run the same "
                    + "command again later"
            )
        }
        return entry
    }
}

extension FleetStore {
    /// Removes what gateways have said of devices: that they heard them, and what became of orders.
    /// A report of a device without a record would be taken for a claim of what isn't so.
    func removeNews(_ filter: KeyFilter) async throws(ToolFailure) {
        try await sightings.remove(filter)
        try await reports.remove(filter)
    }
}

extension Shelf where Name: Hashable {
    /// Removes values. What is written meanwhile stays.
    fileprivate func remove(_ filter: KeyFilter) async throws(ToolFailure) {
        do throws(FleetStoreError) {
            var found: [Name: Revision] = [:]
            read: for try await change in try await watch(filter) {
                switch change {
                case .value(let entry): found[entry.name] = entry.revision
                case .deleted(let name, _): found[name] = nil
                case .startedOver: found = [:]
                case .unreadable: break
                case .caughtUp: break read
                }
            }
            for (name, revision) in found {
                do throws(FleetStoreError) { try await delete(name, after: revision) } catch {
                    guard error == .nats(.revisionConflict) else { throw error }
                }
            }
        } catch {
            throw ToolFailure(error)
        }
    }
}
