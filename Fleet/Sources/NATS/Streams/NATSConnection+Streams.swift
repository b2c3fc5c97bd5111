extension NATSConnection {
    /// Makes a stream. If there is one that is just the same, that is no error.
    ///
    /// - Throws: ``NATSError/exists`` if there is one that differs.
    package func createStream(_ configuration: StreamConfiguration) async throws(NATSError) {
        let plan = try StreamPlan(configuration)
        try await add(plan)
    }

    /// Makes the stream of a plan, also the one behind a bucket.
    func add(_ plan: StreamPlan) async throws(NATSError) {
        try await perform(on: "$JS.API.STREAM.CREATE.\(plan.name)") { handle throws(NATSError) in
            try handle.addStream(plan)
        }
    }

    /// Changes a stream; its messages stay, as far as the new limits let them.
    ///
    /// - Throws: ``NATSError/notFound``.
    package func updateStream(_ configuration: StreamConfiguration) async throws(NATSError) {
        let plan = try StreamPlan(configuration)
        try await perform(on: "$JS.API.STREAM.UPDATE.\(plan.name)") { handle throws(NATSError) in
            try handle.updateStream(plan)
        }
    }

    /// What is in a stream.
    ///
    /// - Throws: ``NATSError/notFound``.
    package func state(of stream: StreamName) async throws(NATSError) -> StreamState {
        try await perform(on: "$JS.API.STREAM.INFO.\(stream.text)") { handle throws(NATSError) in
            try handle.streamState(stream.text)
        }
    }

    /// Reads a message by its place in a stream.
    ///
    /// - Throws: ``NATSError/notFound`` if there is none at this place, or no such stream.
    package func message(
        at sequence: UInt64,
        of stream: StreamName
    ) async throws(NATSError) -> ReadMessage {
        let request = "$JS.API.STREAM.MSG.GET.\(stream.text)"
        return try await perform(on: request) { handle throws(NATSError) in
            let message = try handle.message(at: sequence, in: stream.text)
            return ReadMessage(
                subject: message.subject,
                payload: message.payload,
                nanoseconds: message.nanoseconds
            )
        }
    }

    /// Deletes a stream with its messages and consumers.
    ///
    /// - Throws: ``NATSError/notFound``.
    package func deleteStream(_ stream: StreamName) async throws(NATSError) {
        try await perform(on: "$JS.API.STREAM.DELETE.\(stream.text)") { handle throws(NATSError) in
            try handle.deleteStream(stream.text)
        }
    }

    /// Stores a message in the stream that has its subject. Returns when as many servers have it
    /// as the stream needs.
    ///
    /// - Parameters:
    ///   - payload: up to ``Limits/payloadByteCountMax`` bytes.
    ///   - subject: to what.
    ///   - id: with which the server stores the message once, however often it is published within
    ///     ``StreamConfiguration/deduplicationWindow``. After ``NATSError/timeout`` or
    ///     ``NATSError/disconnected(_:)`` this makes it safe to publish again.
    ///   - expectation: what must be the last message.
    /// - Throws: ``NATSError/revisionConflict`` if the expectation isn't met;
    ///   ``NATSError/disconnected(_:)``, also if no stream has the subject.
    package func store(
        _ payload: [UInt8],
        to subject: Subject,
        id: MessageID? = nil,
        expecting expectation: PublishExpectation = .anything
    ) async throws(NATSError) -> StoredMessage {
        try Self.checkPayload(payload)
        var publication = Publication(subject: subject.text, payload: payload)
        publication.id = id
        publication.expectation = expectation
        return try await store(publication)
    }

    func store(_ publication: Publication) async throws(NATSError) -> StoredMessage {
        try await perform(on: publication.subject) { handle throws(NATSError) in
            try handle.store(publication)
        }
    }
}
