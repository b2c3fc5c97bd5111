/// What the person at this machine can do while pairing.
public enum PairingCapability: String, Sendable, Hashable {
    /// Read six digits.
    case display = "DisplayOnly"
    /// Read six digits and say whether they are right.
    case displayAndConfirmation = "DisplayYesNo"
    /// Type six digits.
    case keyboard = "KeyboardOnly"
    /// Nothing: there is no protection against somebody in between.
    case nothing = "NoInputNoOutput"
    /// Read and type digits.
    case keyboardAndDisplay = "KeyboardDisplay"
}
