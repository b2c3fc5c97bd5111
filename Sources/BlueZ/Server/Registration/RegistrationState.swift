/// Whether the daemon knows of something that we offer.
public enum RegistrationState: Sendable, Hashable {
    /// It does.
    case registered
    /// It does not, for this reason; it is told again as soon as it can be.
    case waiting(BlueZError)
    /// It does not, and will not be told again.
    case over
}
