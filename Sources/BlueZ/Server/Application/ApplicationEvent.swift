/// What happens to a published application.
public enum ApplicationEvent: Sendable {
    /// The first peer subscribed to the values of a characteristic.
    case subscribed(PublishedCharacteristic)
    /// The last one left, by its own wish, with its link, or with the daemon.
    case unsubscribed(PublishedCharacteristic)
    /// Peers can see the application, or can't for a while.
    case registration(RegistrationState)
}
