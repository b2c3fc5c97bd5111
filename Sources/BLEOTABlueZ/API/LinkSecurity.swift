import BlueZ

/// The security that a device requires of the links over which it accepts images.
public enum LinkSecurity: String, Sendable, Hashable, CaseIterable {
    /// No security: anyone in range can begin a session and read the traffic.
    case open
    /// Encryption after any pairing, even one without user interaction (Just Works). It protects
    /// against eavesdroppers, but not against a man in the middle who was present during the
    /// pairing.
    case encrypted
    /// Encryption after a pairing in which a person compared or typed digits.
    case authenticated

    /// The flags to add to the characteristic Control, which every session needs. Encryption covers
    /// the whole link, so the other characteristics for writing need no flags.
    var controlFlags: CharacteristicFlags {
        switch self {
        case .open: []
        case .encrypted: .encryptWrite
        case .authenticated: .encryptAuthenticatedWrite
        }
    }

    /// The flags to add to the characteristic through which the device sends images. The daemon
    /// sends each notification to all subscribers, so only centrals that may begin a session may
    /// subscribe.
    ///
    /// - Parameter adapter: the adapter whose daemon offers the service. A daemon older than
    ///   release 5.66 gets no flags, because it refuses a whole service that has flags it doesn't
    ///   recognize.
    func imageFlags(on adapter: Adapter) -> CharacteristicFlags {
        guard adapter.hasDaemon(atLeast: 5, 66) else { return [] }
        return switch self {
        case .open: []
        case .encrypted: [.encryptNotify, .encryptIndicate]
        case .authenticated: [.encryptAuthenticatedNotify, .encryptAuthenticatedIndicate]
        }
    }
}
