import ArgumentParser
import BLEOTA

#if BlueZ
import BLEOTABlueZ
import BlueZ
#endif

/// The real link to measure.
struct BenchTargetOptions: ParsableArguments {
    #if BlueZ
    static let usage = """
        bleota bench --device <NAME> --yes [<options>]
        bleota bench --connect \(TargetArgument.usage) --yes [<options>]
        """
    static let example = "bleota bench --device kitchen --yes --seconds 10"
    static let names = "--device NAME or --connect \(TargetArgument.valueName)"

    @Option(
        help: ArgumentHelp(
            "Device to measure, by name or address.",
            valueName: "NAME"
        )
    )
    var device: String?

    @OptionGroup var adapterOption: AdapterOption
    #else
    static let usage = "bleota bench --connect \(TargetArgument.usage) --yes [<options>]"
    static let example = "bleota bench --connect unix:/run/device.socket --yes --seconds 10"
    static let names = "--connect \(TargetArgument.valueName)"
    #endif

    @OptionGroup var connectOption: ConnectOption

    @Flag(help: "Proceed, although the device may drop an unfinished transfer.")
    var yes = false

    private var connect: TargetArgument? { connectOption.connect }

    var count: Int {
        #if BlueZ
        (connect == nil ? 0 : 1) + (device == nil ? 0 : 1)
        #else
        connect == nil ? 0 : 1
        #endif
    }

    /// The name of an option other than a target that was given, if any.
    var optionGiven: String? {
        #if BlueZ
        if adapterOption.adapter != nil { return "--adapter" }
        #endif
        return yes ? "--yes" : nil
    }

    /// Runs a benchmark with a connector to the target, and releases the target afterward.
    func run(
        _ body: (any Connector, MachineFacts) async throws -> Void
    ) async throws {
        if let connect {
            let connector = connect.connector(timeout: .seconds(10))
            return try await body(connector, MachineFacts(link: connect.text))
        }
        #if BlueZ
        guard let device else { preconditionFailure("the arguments were checked") }
        let session = try await BluetoothSession(adapter: adapterOption.adapter)
        let target = DeviceTarget(device)
        var facts = MachineFacts(link: "\(target)")
        facts.adapter = session.adapter.name
        facts.adapterAddress = session.adapter.address?.text
        facts.daemonVersion = session.adapter.daemonVersion
        let connector = DeviceConnector(
            session.client,
            adapter: adapterOption.adapter,
            to: target,
            receives: false,
            // The benchmark compares ways to write.
            allowsChannel: false
        )
        do {
            try await body(connector, facts)
        } catch {
            await connector.awaitEnd()
            throw error
        }
        await connector.awaitEnd()
        #endif
    }
}
