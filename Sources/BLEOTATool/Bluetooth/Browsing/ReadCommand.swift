#if BlueZ
import ArgumentParser
import BLEOTA
import BLEOTABlueZ
import BlueZ

/// `bleota read`: reads one value.
struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Read a characteristic of a device.",
        usage: "bleota read <device> <characteristic> [<options>]",
        discussion: """
            Example:
              bleota read 00:AA:01:01:00:01 2a19
            """
    )

    @OptionGroup var target: CharacteristicArguments
    @OptionGroup var adapterOption: AdapterOption
    @OptionGroup(title: "Output") var outputOptions: OutputOptions

    func run() async throws {
        let reporter = Reporter(outputOptions)
        try await Command.run(reporter) {
            let session = try await BluetoothSession(adapter: adapterOption.adapter)
            try await session.use(target) { characteristic in
                let value: [UInt8]
                do throws(BlueZError) {
                    value = try await characteristic.read()
                } catch {
                    throw Failure(error)
                }
                reporter.tell(value, of: characteristic, outputOptions)
            }
        }
    }
}

extension Reporter {
    /// Prints a value as hexadecimal digits, and as text if it is text.
    func tell(
        _ value: [UInt8],
        of characteristic: RemoteCharacteristic,
        _ options: OutputOptions
    ) {
        event(
            JSONLine(event: "value").adding("uuid", characteristic.uuid?.shortText)
                .adding("value", HexText.text(value))
        )
        guard !options.json else { return }
        let hex = value.isEmpty ? "(empty)" : ValueText.hex(value)
        Terminal.printLine(hex + (ValueText.text(value).map { "  \($0)" } ?? ""))
    }
}

extension BluetoothSession {
    /// Passes a characteristic to a closure, like `use(_:_:)` for devices.
    func use(
        _ target: CharacteristicArguments,
        _ body: (RemoteCharacteristic) async throws -> Void
    ) async throws {
        try await use(target.device) { device in
            try await body(Self.characteristic(target.characteristic, of: device))
        }
    }
}
#endif
