#if BlueZ
import ArgumentParser

/// The device and the characteristic to access.
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
