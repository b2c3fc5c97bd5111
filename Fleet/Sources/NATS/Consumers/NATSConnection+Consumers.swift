extension NATSConnection {
    /// Makes a durable consumer of a stream. If there is one of this name, it keeps its progress
    /// and is changed to this configuration, for all who fetch.
    ///
    /// - Throws: ``NATSError/notFound`` if there is no such stream.
    package func createConsumer(
        _ configuration: ConsumerConfiguration,
        of stream: StreamName
    ) async throws(NATSError) {
        try await perform { handle throws(NATSError) in
            try handle.addConsumer(configuration, to: stream.text)
        }
    }

    /// Opens a durable consumer that another may have made, or is still to make: the server isn't
    /// asked for it.
    ///
    /// - Throws: ``NATSError/busy`` if there are ``Limits/ownThreadsMax`` consumers and watches on
    ///   this connection.
    package func consumer(
        _ name: ConsumerName,
        of stream: StreamName
    ) async throws(NATSError) -> PullConsumer {
        try ownThreads.take()
        do {
            let pull = try await perform { [events] handle throws(NATSError) in
                try ConsumerPull(name.text, of: stream.text, handle, events)
            }
            return PullConsumer(pull, of: self)
        } catch {
            ownThreads.giveBack()
            throw error
        }
    }

    /// Makes a durable consumer, and opens it.
    package func openConsumer(
        _ configuration: ConsumerConfiguration,
        of stream: StreamName
    ) async throws(NATSError) -> PullConsumer {
        try await createConsumer(configuration, of: stream)
        return try await consumer(configuration.name, of: stream)
    }

    /// Deletes a durable consumer, and with it what the server knows of its progress.
    ///
    /// - Throws: ``NATSError/notFound``.
    package func deleteConsumer(
        _ name: ConsumerName,
        of stream: StreamName
    ) async throws(NATSError) {
        try await perform { handle throws(NATSError) in
            try handle.deleteConsumer(name.text, of: stream.text)
        }
    }
}
