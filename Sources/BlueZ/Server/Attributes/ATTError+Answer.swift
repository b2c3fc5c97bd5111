import DBus

extension ATTError {
    /// The D-Bus error that makes the daemon send this ATT error.
    ///
    /// An error that has no D-Bus name and is not an application error reaches the peer as
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
        // The daemon parses this text as an error code, but accepts only application errors.
        default: return (daemon + "Failed", "0x" + String(rawValue, radix: 16))
        }
    }
}

extension IncomingCall {
    /// Replies with an ATT error.
    func fail(_ error: ATTError) {
        let (name, text) = error.answer
        fail(name, text)
    }
}
