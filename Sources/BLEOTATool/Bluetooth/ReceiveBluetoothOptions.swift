#if BlueZ
import ArgumentParser
import BLEOTABlueZ
import BlueZ

/// The Bluetooth settings of a receiver.
struct ReceiveBluetoothOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Name to advertise; the adapter's by default.", valueName: "NAME")
    )
    var name: String?

    @Option(
        help: ArgumentHelp("Version of the running firmware, to publish.", valueName: "VERSION")
    )
    var firmwareVersion: String?

    @Flag(help: "Advertise that this device wants an update.")
    var updateWanted = false

    @Option(
        help: ArgumentHelp(
            "Security that a link must have; open by default.",
            valueName: "KIND"
        )
    )
    var link: LinkArgument?

    @Flag(help: "Also offer SMP (MCUmgr), for nRF Connect Device Manager and smpmgr.")
    var smp = false

    @Flag(help: "Do not offer an L2CAP channel, so that centrals use GATT.")
    var noL2cap = false

    @OptionGroup var adapterOption: AdapterOption

    func validate() throws {
        if let name, !(1...29).contains(name.utf8.count) {
            throw ValidationError("--name must be 1 to 29 bytes long")
        }
        let byteCountMax = Peripheral.firmwareVersionByteCountMax
        if let firmwareVersion, !(1...byteCountMax).contains(firmwareVersion.utf8.count) {
            throw ValidationError("--firmware-version must be 1 to \(byteCountMax) bytes long")
        }
    }

    /// Fails if one of these options was given to a receiver that does not advertise.
    func requireNone() throws {
        if link != nil {
            throw ValidationError("--link needs --advertise; only Bluetooth links are paired")
        }
        if smp {
            throw ValidationError(
                "--smp needs --advertise; otherwise, listen on smp+udp:PORT or smp+serial:PATH"
            )
        }
        if noL2cap { throw ValidationError("--no-l2cap needs --advertise") }
        if name != nil { throw ValidationError("--name needs --advertise") }
        if firmwareVersion != nil {
            throw ValidationError("--firmware-version needs --advertise")
        }
        if updateWanted { throw ValidationError("--update-wanted needs --advertise") }
    }
}
#endif
