#if BlueZ
import ArgumentParser

/// The device to inspect.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "Device, by name or address.")
    var device: String
}
#endif
