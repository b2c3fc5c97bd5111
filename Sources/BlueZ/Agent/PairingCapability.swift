/// The I/O capability of this machine during pairing: the actions that a person can perform at this
/// machine.
public enum PairingCapability: String, Sendable, Hashable {
    /// Reads six digits.
    case display = "DisplayOnly"
    /// Reads six digits and confirms whether they match.
    case displayAndConfirmation = "DisplayYesNo"
    /// Types six digits.
    case keyboard = "KeyboardOnly"
    /// Neither reads nor types, so pairing has no protection against a man in the middle.
    case nothing = "NoInputNoOutput"
    /// Reads and types digits.
    case keyboardAndDisplay = "KeyboardDisplay"
}
