import BlueZ

/// What a device asks of the links over which it takes images.
public enum LinkSecurity: String, Sendable, Hashable, CaseIterable {
    /// Nothing: whoever is in range can begin a session, and what is sent can be read.
    case open
    /// Encryption: the central has paired, if only without a person (just works), which keeps out
    /// who listens and not who was in between from the start.
    case encrypted
    /// Encryption after a pairing in which somebody compared or typed digits.
    case authenticated

    /// What is added to the characteristic without which no session begins. Once the link is
    /// encrypted, all that goes over it is.
    var controlFlags: CharacteristicFlags {
        switch self {
        case .open: []
        case .encrypted: .encryptWrite
        case .authenticated: .encryptAuthenticatedWrite
        }
    }

    /// What is added to the characteristic over which images go out. A daemon sends an image to all
    /// subscribers, so that only centrals that may begin a session may subscribe.
    ///
    /// - Parameter adapter: the adapter whose daemon offers the service. A daemon before 5.66 gets
    ///   no flags: it may not know them, and then refuses the whole service.
    func imageFlags(on adapter: Adapter) -> CharacteristicFlags {
        guard adapter.hasDaemon(atLeast: 5, 66) else { return [] }
        return switch self {
        case .open: []
        case .encrypted: [.encryptNotify, .encryptIndicate]
        case .authenticated: [.encryptAuthenticatedNotify, .encryptAuthenticatedIndicate]
        }
    }
}
