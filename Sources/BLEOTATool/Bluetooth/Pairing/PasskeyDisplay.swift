#if BlueZ
import BLEOTABlueZ
import BlueZ
import DBus

/// Shows the digits that have to be typed at the other end.
struct PasskeyDisplay: PairingHandler {
    let reporter: Reporter

    var capability: PairingCapability { .display }

    func show(_ passkey: PairingPasskey, enteredCount: Int, _ device: ObjectPath) async {
        // It comes again with each digit that is typed.
        guard enteredCount == 0 else { return }
        reporter.event(JSONLine(event: "passkey").adding("passkey", passkey.description))
        reporter.say("passkey       \(passkey): type it where you push")
    }

    func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { true }
}
#endif
