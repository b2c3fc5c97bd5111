import BlueZ
import DBus

/// Shows the digits to be typed on the peer.
struct PasskeyDisplay: PairingHandler {
    let show: @Sendable (_ digits: String) -> Void

    var capability: PairingCapability { .display }

    func show(_ passkey: PairingPasskey, enteredCount: Int, _ device: ObjectPath) async {
        // The daemon repeats the call after each typed digit.
        if enteredCount == 0 { show(passkey.description) }
    }

    func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { true }
}
