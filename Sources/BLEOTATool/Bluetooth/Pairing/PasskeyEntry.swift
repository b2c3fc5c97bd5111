#if BlueZ
import BLEOTABlueZ
import BlueZ
import DBus
import Dispatch
import Glibc

/// Enters the passkey that a device shows, or asks the user for it.
struct PasskeyEntry: PairingHandler {
    /// The passkey from the command line.
    let known: PairingPasskey?

    var capability: PairingCapability { .keyboard }

    func passkey(_ device: ObjectPath) async -> PairingPasskey? {
        if let known { return known }
        guard isatty(STDIN_FILENO) != 0 else { return nil }
        Terminal.printRawError("passkey shown on the device: ")
        // Waiting for the user blocks a thread, which must not be a thread that runs tasks.
        let line = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: readLine()) }
        }
        return line.flatMap { PairingPasskey($0) }
    }

    func authorizesPairing(_ device: ObjectPath) async -> Bool { true }

    func authorizes(_ service: BluetoothUUID, _ device: ObjectPath) async -> Bool { true }
}
#endif
