#if BlueZ
import ArgumentParser
import BlueZ

/// The devices to send an image to.
struct PushBluetoothOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The device, by address or name; may be given more than once.",
            valueName: "NAME"
        )
    )
    var device: [String] = []

    @Option(
        help: ArgumentHelp("How many devices at a time, with several --device.", valueName: "N")
    )
    var parallel = 1

    @OptionGroup var pairing: PairingOptions

    @OptionGroup var adapterOption: AdapterOption

    func validate() throws {
        guard (1...16).contains(parallel) else {
            throw ValidationError("--parallel is 1 to 16, not \(parallel)")
        }
    }
}
#endif
