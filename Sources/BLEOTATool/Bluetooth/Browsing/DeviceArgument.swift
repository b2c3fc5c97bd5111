#if BlueZ
import ArgumentParser

/// A device to look at.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "Device, by name or address.")
    var device: String
}
#endif
