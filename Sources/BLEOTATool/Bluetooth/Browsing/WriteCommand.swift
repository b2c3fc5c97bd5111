#if BlueZ
import ArgumentParser
import BLEOTABlueZ
import BlueZ

/// `bleota write`: writes one value.
struct WriteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write",
        abstract: "Write a characteristic of a device.",
        usage: "bleota write <device> <characteristic> <value> [<options>]",
        discussion: """
            By default, the value is written with response if the characteristic supports that. \
            The command then exits when the device has responded.

            Examples:
              bleota write 00:AA:01:01:00:01 2a06 01
              bleota write 00:AA:01:01:00:01 2a00 text:kitchen --write-mode with-response
            """
    )

    @OptionGroup var target: CharacteristicArguments

    @Argument(help: "Hexadecimal digits, or text:TEXT.")
    var value: String

    @Option(help: ArgumentHelp("With or without response.", valueName: "MODE"))
    var writeMode: WriteModeArgument?

    @OptionGroup var adapterOption: AdapterOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func validate() throws {
        guard let bytes = ValueText.bytes(value) else {
            throw ValidationError(
                "a value must be an even number of hexadecimal digits, or text:TEXT, not \(value)"
            )
        }
        guard bytes.count <= 512 else {
            throw ValidationError("a value must be at most 512 bytes long, not \(bytes.count)")
        }
    }

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let bytes = ValueText.bytes(value) ?? []
            let session = try await BluetoothSession(adapter: adapterOption.adapter)
            try await session.use(target) { characteristic in
                try await write(bytes, to: characteristic)
                reporter.event(
                    JSONLine(event: "written").adding("bytes", bytes.count)
                )
                reporter.note("written       \(bytes.count) bytes")
            }
        }
    }

    private func write(
        _ bytes: [UInt8],
        to characteristic: RemoteCharacteristic
    ) async throws(Failure) {
        // If the characteristic supports neither, a request gives the clearest error.
        let flags = characteristic.flags
        let takesOnlyCommands =
            flags.contains("write-without-response") && !flags.contains("write")
        let kind: WriteKind =
            switch writeMode {
            case .withResponse?: .request
            case .withoutResponse?: .command
            case nil: takesOnlyCommands ? .command : .request
            }
        do throws(BlueZError) {
            // A command is queued when this returns; the daemon sends it before it disconnects.
            try await characteristic.write(bytes, as: kind)
        } catch {
            throw Failure(error)
        }
    }
}
#endif
