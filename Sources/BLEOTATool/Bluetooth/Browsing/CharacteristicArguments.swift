#if BlueZ
import ArgumentParser

/// A characteristic of a device.
struct CharacteristicArguments: ParsableArguments {
    @Argument(help: "Device, by name or address.")
    var device: String

    @Argument(
        help: ArgumentHelp(
            "UUID of the characteristic, or SERVICE/UUID.",
            valueName: "characteristic"
        )
    )
    var characteristic: String
}
#endif
