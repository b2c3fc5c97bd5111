import DBus

extension ATTError {
    /// How an attribute's object says this error to the daemon.
    ///
    /// What has no name there, and is not the application's own, gets to the peer as
    /// ``unlikelyError``.
    var answer: (name: String, text: String) {
        let daemon = "org.bluez.Error."
        switch self {
        case .readNotPermitted, .writeNotPermitted: return (daemon + "NotPermitted", "")
        case .requestNotSupported: return (daemon + "NotSupported", "")
        case .invalidOffset: return (daemon + "InvalidOffset", "")
        case .insufficientAuthorization: return (daemon + "NotAuthorized", "")
        case .invalidAttributeValueLength: return (daemon + "InvalidValueLength", "")
        case .improperlyConfigured: return (daemon + "ImproperlyConfigured", "")
        case .procedureInProgress: return (daemon + "InProgress", "")
        // The text of this error is a number, and only those of applications are taken from it.
        default: return (daemon + "Failed", "0x" + String(rawValue, radix: 16))
        }
    }
}

extension IncomingCall {
    /// Answers with an error of the attribute protocol.
    func fail(_ error: ATTError) {
        let (name, text) = error.answer
        fail(name, text)
    }
}
