#if BlueZ
import ArgumentParser

/// A device to look at.
struct DeviceArgument: ParsableArguments {
    @Argument(help: "The device, by address or name.")
    var device: String
}
#endif
