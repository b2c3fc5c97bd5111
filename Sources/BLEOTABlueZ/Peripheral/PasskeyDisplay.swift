import BlueZ
import DBus

/// Shows the digits that have to be typed at the other end.
struct PasskeyDisplay: PairingHandler {
    let show: @Sendable (_ digits: String) -> Void

    var capability: PairingCapability { .display }

    func show(_ passkey: PairingPasskey, enteredCount: Int, _ device: ObjectPath) async {
        // It comes again with each digit that is typed.
        if enteredCount == 0 { show(passkey.description) }
    }

    func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { true }
}
