/// Whether the daemon has registered a local object.
public enum RegistrationState: Sendable, Hashable {
    /// The object is registered.
    case registered
    /// The object is not registered, for this reason; the registration is retried as soon as
    /// possible.
    case waiting(BlueZError)
    /// The object is not registered, and there are no further attempts.
    case over
}
