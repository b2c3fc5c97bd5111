import CNATS

extension NATSError {
    /// Throws unless a function of libnats succeeded.
    ///
    /// - Parameters:
    ///   - status: what the function returned.
    ///   - code: the server's own reason, if the function told it.
    static func check(
        _ status: natsStatus,
        _ code: jsErrCode = jsErrCode(0)
    ) throws(NATSError) {
        if status == NATS_OK { return }
        throw NATSError(status, code, text: text(of: status))
    }

    /// What libnats says of the last error on this thread, if that is the one.
    static func text(of status: natsStatus) -> String {
        var last = NATS_OK
        if let text = nats_GetLastError(&last), last == status, text.pointee != 0 {
            return withoutPlace(String(cString: text))
        }
        return String(cString: natsStatus_GetText(status))
    }

    /// Removes the place in the library's source, which it puts before its texts: `(conn.c:2088): `.
    private static func withoutPlace(_ text: String) -> String {
        guard text.hasPrefix("("), let end = text.firstIndex(of: ")") else { return text }
        let place = text[..<end].split(separator: ":")
        let rest = text[end...]
        guard place.count == 2, place[0].hasSuffix(".c"), rest.hasPrefix("): ") else { return text }
        return String(rest.dropFirst(3))
    }

    private init(_ status: natsStatus, _ code: jsErrCode, text: String) {
        // libnats invents a number for a request that nobody answers.
        if code.rawValue != 0, status != NATS_NO_RESPONDERS {
            self.init(code: code.rawValue, text)
            return
        }
        switch status {
        case NATS_TIMEOUT: self = .timeout
        case NATS_NOT_FOUND: self = .notFound
        case NATS_CONNECTION_AUTH_FAILED: self = .refusedCredentials(text)
        case NATS_NOT_PERMITTED: self = .notPermitted(text)
        case NATS_SSL_ERROR: self = .refusedCertificate(text)
        // For a moment after its start, a server has no streams yet.
        case NATS_NO_RESPONDERS: self = .nobodyAnswers
        // Nothing is kept for a later connection (ConnectionSettings), so that buffer is full.
        case NATS_INSUFFICIENT_BUFFER, NATS_CONNECTION_DISCONNECTED, NATS_NO_SERVER,
            NATS_NOT_YET_CONNECTED, NATS_IO_ERROR, NATS_STALE_CONNECTION:
            self = .disconnected(text)
        case NATS_CONNECTION_CLOSED: self = .closed(text)
        case NATS_INVALID_ARG, NATS_MAX_PAYLOAD, NATS_INVALID_SUBJECT, NATS_ADDRESS_MISSING:
            self = .wrongArgument(text)
        default: self = .failed(text)
        }
    }

    /// An error that the server numbered. Some of these numbers are newer than the library's list.
    private init(code: UInt32, _ text: String) {
        switch code {
        case JSStreamWrongLastSequenceErr.rawValue, 10_164: self = .revisionConflict
        case JSStreamNotFoundErr.rawValue, JSConsumerNotFoundErr.rawValue,
            JSNoMessageFoundErr.rawValue:
            self = .notFound
        case JSStreamNameExistErr.rawValue, JSConsumerNameExistErr.rawValue, 10_148, 10_149:
            self = .exists
        case JSClusterNotAvailErr.rawValue, JSClusterNotLeaderErr.rawValue,
            JSClusterNotAssignedErr.rawValue:
            self = .noLeader
        default: self = .refused(code: code, text)
        }
    }
}
