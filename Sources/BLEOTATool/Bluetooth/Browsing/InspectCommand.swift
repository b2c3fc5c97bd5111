#if BlueZ
import ArgumentParser
import BLEOTA
import BLEOTABlueZ
import BlueZ

/// `bleota inspect`: lists the services, characteristics and descriptors of a device.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "List a device's services and characteristics.",
        usage: "bleota inspect <device> [<options>]",
        discussion: """
            Example:
              bleota inspect 00:AA:01:01:00:01 --read
            """
    )

    @OptionGroup var target: DeviceArgument
    @Flag(help: "Also read every readable value.") var read = false
    @OptionGroup var adapterOption: AdapterOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let session = try await BluetoothSession(adapter: adapterOption.adapter)
            try await session.use(target.device) { try await inspect($0, reporter) }
        }
    }

    private func inspect(_ device: Device, _ reporter: Reporter) async throws {
        reporter.event(
            JSONLine(event: "device").adding("address", device.address?.text)
                .adding("name", device.name)
        )
        say("\(device.address?.text ?? "")  \(device.name ?? "")")
        for service in device.services {
            reporter.event(
                JSONLine(event: "service").adding("uuid", service.uuid?.shortText)
                    .adding("name", service.uuid?.name).adding("primary", service.isPrimary)
                    .adding(
                        "includes",
                        service.included.compactMap { $0.uuid?.shortText }
                    )
            )
            say("\(Self.title(service.uuid))\(service.isPrimary ? "" : "  (secondary)")")
            for included in service.included { say("  includes \(Self.title(included.uuid))") }
            for characteristic in service.characteristics {
                try await show(characteristic, of: service, reporter)
            }
        }
    }

    private func show(
        _ characteristic: RemoteCharacteristic,
        of service: RemoteService,
        _ reporter: Reporter
    ) async throws {
        var value: [UInt8]?
        var refusal: String?
        if read, characteristic.flags.contains(where: { $0 == "read" }) {
            (value, refusal) = try await outcome { () throws(BlueZError) in
                try await characteristic.read()
            }
        }
        reporter.event(
            JSONLine(event: "characteristic")
                .adding("service", service.uuid?.shortText)
                .adding("uuid", characteristic.uuid?.shortText)
                .adding("name", characteristic.uuid?.name)
                .adding("flags", characteristic.flags)
                .adding("value", value.map(HexText.text)).adding("error", refusal)
        )
        let flags = characteristic.flags.joined(separator: ", ")
        say("  \(Self.title(characteristic.uuid))  [\(flags)]")
        tell(value, refusal, indent: "    ")
        for descriptor in characteristic.descriptors {
            try await show(descriptor, of: characteristic, reporter)
        }
    }

    private func show(
        _ descriptor: RemoteDescriptor,
        of characteristic: RemoteCharacteristic,
        _ reporter: Reporter
    ) async throws {
        var value: [UInt8]?
        var refusal: String?
        if read {
            (value, refusal) = try await outcome { () throws(BlueZError) in
                try await descriptor.read()
            }
        }
        reporter.event(
            JSONLine(event: "descriptor")
                .adding("characteristic", characteristic.uuid?.shortText)
                .adding("uuid", descriptor.uuid?.shortText)
                .adding("name", descriptor.uuid?.name)
                .adding("value", value.map(HexText.text)).adding("error", refusal)
        )
        say("    \(Self.title(descriptor.uuid))")
        tell(value, refusal, indent: "      ")
    }

    /// The value or the error. A value that can't be read does not end the command, but a lost
    /// link does.
    private func outcome(
        _ read: () async throws(BlueZError) -> [UInt8]
    ) async throws(Failure) -> ([UInt8]?, String?) {
        do throws(BlueZError) {
            return (try await read(), nil)
        } catch {
            switch error {
            case .disconnected, .noDaemon, .noBus, .cancelled: throw Failure(error)
            case .att(let error): return (nil, error.description)
            default: return (nil, error.description)
            }
        }
    }

    private func tell(_ value: [UInt8]?, _ refusal: String?, indent: String) {
        if let refusal { say("\(indent)can't be read: \(refusal)") }
        guard let value else { return }
        let hex = value.isEmpty ? "(empty)" : ValueText.hex(value)
        say(indent + hex + (ValueText.text(value).map { "  \($0)" } ?? ""))
    }

    private func say(_ line: String) {
        if !outputOptions.json { Terminal.printLine(line) }
    }

    private static func title(_ uuid: BluetoothUUID?) -> String {
        guard let uuid else { return "(gone)" }
        return uuid.name.map { "\(uuid)  \($0)" } ?? "\(uuid)"
    }
}
#endif
