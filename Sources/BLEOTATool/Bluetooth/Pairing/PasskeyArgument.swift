#if BlueZ
import ArgumentParser
import BlueZ

/// A passkey of six digits.
struct PasskeyArgument {
    let passkey: PairingPasskey

    init(_ text: String) throws {
        guard let passkey = PairingPasskey(text) else {
            throw ValidationError("a passkey must be six digits, not \(text)")
        }
        self.passkey = passkey
    }
}
#endif
