#if BlueZ
import ArgumentParser
import BlueZ

/// How to update devices over Bluetooth.
struct PushBluetoothOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("With several devices, how many to update at a time.", valueName: "N")
    )
    var parallel = 1

    @OptionGroup var l2cap: L2CAPOption

    @OptionGroup var pairing: PairingOptions

    @OptionGroup var adapterOption: AdapterOption

    func validate() throws {
        guard (1...16).contains(parallel) else {
            throw ValidationError("--parallel must be 1 to 16, not \(parallel)")
        }
    }
}
#endif
