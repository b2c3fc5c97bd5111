import ArgumentParser
import FleetModel
import FleetStore
import NATS

/// `bleota-fleet devices`.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices, show what happened to one, enrol their keys, or forget some.",
        subcommands: [
            ListDevices.self, DeviceHistoryCommand.self, EnrolCommand.self, ForgetDevices.self,
        ],
        defaultSubcommand: ListDevices.self
    )
}

/// `bleota-fleet devices list`, which is also `bleota-fleet devices`.
struct ListDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the devices, or some of them.",
        discussion: """
            Each option leaves out the devices that it doesn't fit. A device has the outcome of \
            its last campaign; bleota-fleet devices history NAME shows those before.

            Example:
              bleota-fleet devices --campaign spring --state failed
            """
    )

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
    var state: DeviceState?

    @Flag(help: "Print each as a line of JSON.") var json = false
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        try await Command.run(on: server) { () async throws(ToolFailure) in
            let store = try await server.openStore(as: "bleota-fleet-devices")
            let table = DeviceLines(width: Console.width)
            // A head without a row would look like an answer, if an error follows.
            var isHeadDue = !json
            func printHead() {
                if isHeadDue { Console.print(DeviceLines.head) }
                isHeadDue = false
            }
            var known = KnownNames()
            try await store.devices.forEach { entry in
                let device = entry.value
                known.see(device, self)
                guard fits(device) else { return }
                printHead()
                let lines = json ? [device.line("device").text] : table.lines(of: device)
                for line in lines { Console.print(line) }
            }
            try await requireNames(known, in: store)
            guard isHeadDue else { return }
            Console.printError(
                known.hasAny
                    ? "no device fits all of these options" : "no gateway has heard a device yet"
            )
        }
    }

    /// The names that were asked for, as far as devices have them.
    private struct KnownNames {
        private(set) var hasAny = false
        private(set) var hasHardware = false
        private(set) var hasGroup = false
        private(set) var hasCampaign = false
        private(set) var hasGateway = false

        mutating func see(_ device: DeviceRecord, _ asked: ListDevices) {
            hasAny = true
            hasHardware = hasHardware || device.hardware == asked.hardware
            hasGroup = hasGroup || device.group == asked.group
            hasCampaign = hasCampaign || device.job?.campaign == asked.campaign
            hasGateway = hasGateway || device.lease?.gateway == asked.gateway
        }
    }

    /// Throws if no device has a name and the fleet doesn't either: it is a typing error. A campaign
    /// that was deleted is still the last one of its devices.
    private func requireNames(
        _ known: KnownNames,
        in store: FleetStore
    ) async throws(ToolFailure) {
        if let hardware, known.hasAny, !known.hasHardware {
            throw .nobodyHas("the hardware \(hardware)")
        }
        if let group, known.hasAny, !known.hasGroup { throw .nobodyHas("the group \(group)") }
        if let campaign, !known.hasCampaign { _ = try await store.campaign(campaign) }
        if let gateway, !known.hasGateway { _ = try await store.gateway(gateway) }
    }

    private func fits(_ device: DeviceRecord) -> Bool {
        (hardware == nil || device.hardware == hardware)
            && (group == nil || device.group == group)
            && (version == nil || device.version == version)
            && (campaign == nil || device.job?.campaign == campaign)
            && (gateway == nil || device.lease?.gateway == gateway)
            && (state == nil || DeviceState(device) == state)
    }
}

extension ToolFailure {
    static func noDevice(_ name: DeviceID) -> ToolFailure {
        ToolFailure(
            .unavailable,
            "there is no device \(name): bleota-fleet devices lists those there are"
        )
    }

    fileprivate static func nobodyHas(_ what: String) -> ToolFailure {
        ToolFailure(
            .unavailable,
            "no device has \(what): bleota-fleet devices --json tells what each has"
        )
    }
}

extension DeviceState: ExpressibleByArgument {}
