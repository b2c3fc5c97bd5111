#if BlueZ
import ArgumentParser

/// A characteristic of a device.
struct CharacteristicArguments: ParsableArguments {
    @Argument(help: "The device, by address or name.")
    var device: String

    @Argument(
        help: ArgumentHelp(
            "The characteristic: its UUID, or SERVICE/UUID where several have it.",
            valueName: "characteristic"
        )
    )
    var characteristic: String
}
#endif
