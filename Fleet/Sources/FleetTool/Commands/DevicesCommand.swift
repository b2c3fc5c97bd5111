import ArgumentParser
import FleetModel
import FleetStore

/// `bleota-fleet devices`.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices, or some of them.",
        discussion: """
            Each option leaves out the devices that it doesn't fit.

            Example:
              bleota-fleet devices --campaign spring --state failed
            """
    )

    /// The states, as ``DeviceRecord/stateWord`` has them.
    enum State: String, ExpressibleByArgument, CaseIterable {
        case idle, waiting, updating, updated, failed
    }

    @Option(
        help: ArgumentHelp("Hardware of the devices.", valueName: "NAME"),
        transform: Values.hardware
    )
    var hardware: HardwareName?

    @Option(
        help: ArgumentHelp("Group of the devices.", valueName: "NAME"),
        transform: { try Values.name($0, of: Sighting.self) }
    )
    var group: GroupName?

    @Option(
        name: .customLong("version"),
        help: ArgumentHelp("Version that they run.", valueName: "VERSION"),
        transform: Values.version
    )
    var version: FirmwareVersion?

    @Option(
        help: ArgumentHelp("Last campaign of the devices.", valueName: "NAME"),
        transform: { try Values.name($0, of: CampaignPlan.self) }
    )
    var campaign: CampaignID?

    @Option(
        help: ArgumentHelp("Gateway that updates them now.", valueName: "NAME"),
        transform: { try Values.name($0, of: Lease.self) }
    )
    var gateway: GatewayID?

    @Option(help: ArgumentHelp("State of the devices.", valueName: "STATE"))
    var state: State?

    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-devices")
            if !json { Console.print(Self.line("DEVICE", "HARDWARE", "VERSION", "STATE")) }
            try await store.devices.forEach { entry in
                let device = entry.value
                guard fits(device) else { return }
                Console.print(json ? device.line("device").text : Self.line(device))
            }
        }
    }

    private func fits(_ device: DeviceRecord) -> Bool {
        (hardware == nil || device.hardware == hardware)
            && (group == nil || device.group == group)
            && (version == nil || device.version == version)
            && (campaign == nil || device.job?.campaign == campaign)
            && (gateway == nil || device.lease?.gateway == gateway)
            && (state == nil || device.stateWord == state?.rawValue)
    }

    private static func line(_ device: DeviceRecord) -> String {
        var state = device.stateWord
        if case .failed(let why) = device.job?.state { state += ": \(why.detail)" }
        if let lease = device.lease { state += " at \(lease.gateway)" }
        return line(device.id.text, device.hardware.text, device.version.description, state)
    }

    /// 20, 16 and 11 columns, and 30 for the state.
    private static func line(
        _ device: String,
        _ hardware: String,
        _ version: String,
        _ state: String
    ) -> String {
        let cells = [(text: device, width: 20), (hardware, 16), (version, 11)]
        return Table.line(cells, state.count > 30 ? state.prefix(29) + "…" : state)
    }
}
