import ArgumentParser
import FleetGateway
import FleetModel
import SystemPackage

/// Where a gateway hears devices: over Bluetooth, or in a folder of sockets.
struct AdapterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Bluetooth adapter; the first by default.", valueName: "NAME"))
    var adapter: String?

    @Option(
        help: ArgumentHelp(
            "Hardware, and the group, of the devices whose Bluetooth name begins with PREFIX; "
                + "repeat it.",
            discussion: "Others are left alone. The longest prefix counts.",
            valueName: "PREFIX=HARDWARE[@GROUP]"
        ),
        transform: Self.rule
    )
    var hardware: [NameRule] = []

    @Option(
        help: ArgumentHelp("Folder of devices behind sockets instead.", valueName: "FOLDER"),
        completion: .directory
    )
    var sockets: String?

    func validate() throws {
        if sockets != nil, adapter != nil || !hardware.isEmpty {
            throw ValidationError("--sockets has no Bluetooth: leave out --adapter and --hardware")
        }
        if sockets == nil, hardware.isEmpty {
            throw ValidationError(
                "which devices? Give --hardware PREFIX=HARDWARE, or --sockets FOLDER"
            )
        }
    }

    /// The adapter, which isn't opened yet.
    func air(_ pace: GatewayPace) throws(ToolFailure) -> any Air {
        if let sockets { return SocketAir(folder: FilePath(sockets), pace: pace) }
        return BlueZAir(adapter: adapter, rules: hardware)
    }

    private static func rule(_ text: String) throws -> NameRule {
        guard let rule = NameRule(text) else {
            throw ValidationError(
                "a rule is PREFIX=HARDWARE or PREFIX=HARDWARE@GROUP, not '\(text)'"
            )
        }
        return rule
    }
}
