#if BlueZ
import ArgumentParser

/// Whether a sender or a puller uses L2CAP channels.
struct L2CAPOption: ParsableArguments {
    @Flag(help: "Use GATT even if the device offers an L2CAP channel.")
    var noL2cap = false
}
#endif
