#if BlueZ
import ArgumentParser
import BlueZ

/// To which devices an image goes.
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

    @Flag(help: "Pair with a device that asks for it, if it is not paired.")
    var pair = false

    @Option(
        help: ArgumentHelp(
            "With --pair: the six digits that the device shows; else they are asked for.",
            valueName: "DIGITS"
        ),
        transform: PasskeyArgument.init
    )
    var passkey: PasskeyArgument?

    @OptionGroup var adapterOption: AdapterOption

    func validate() throws {
        guard (1...16).contains(parallel) else {
            throw ValidationError("--parallel is 1 to 16, not \(parallel)")
        }
        if passkey != nil, !pair {
            throw ValidationError("--passkey goes with --pair")
        }
    }
}
#endif
