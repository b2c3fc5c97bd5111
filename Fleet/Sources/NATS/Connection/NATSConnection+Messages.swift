extension NATSConnection {
    /// Sends a message to whoever listens at present, if anyone does.
    ///
    /// - Parameters:
    ///   - payload: up to ``Limits/payloadByteCountMax`` bytes.
    ///   - subject: to what.
    package func publish(
        _ payload: [UInt8],
        to subject: Subject
    ) async throws(NATSError) {
        try Self.checkPayload(payload)
        try await perform { handle throws(NATSError) in
            try handle.publish(subject.text, payload)
        }
    }

    /// Sends a message, and returns the first answer.
    ///
    /// - Parameters:
    ///   - payload: up to ``Limits/payloadByteCountMax`` bytes.
    ///   - subject: to what.
    ///   - limit: how long to wait; ``ConnectionOptions/requestLimit`` by default.
    /// - Throws: ``NATSError/timeout``; ``NATSError/disconnected(_:)``, also if nobody listens.
    package func request(
        _ payload: [UInt8],
        to subject: Subject,
        within limit: Duration? = nil
    ) async throws(NATSError) -> [UInt8] {
        try Self.checkPayload(payload)
        let limit = limit ?? requestLimit
        return try await perform(on: subject.text) { handle throws(NATSError) in
            try handle.request(subject.text, payload, within: limit)
        }
    }
}
