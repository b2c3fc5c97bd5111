/// An event of a published application.
public enum ApplicationEvent: Sendable {
    /// The first peer has subscribed to a characteristic.
    case subscribed(PublishedCharacteristic)
    /// The last subscriber has unsubscribed or disconnected, or the daemon is gone.
    case unsubscribed(PublishedCharacteristic)
    /// The application has become visible to peers, or has ceased to be visible.
    case registration(RegistrationState)
}
