extension NATSConnection {
    /// Makes a durable consumer of a stream. If there is one of this name, it keeps its progress
    /// and is changed to this configuration, for all who fetch.
    ///
    /// - Throws: ``NATSError/notFound`` if there is no such stream; ``NATSError/busy`` if there are
    ///   ``Limits/ownThreadsMax`` consumers and watches on this connection.
    package func openConsumer(
        _ configuration: ConsumerConfiguration,
        of stream: StreamName
    ) async throws(NATSError) -> PullConsumer {
        try ownThreads.take()
        do {
            let subscription = try await perform { handle throws(NATSError) in
                try handle.addConsumer(configuration, to: stream.text)
                return try handle.pull(configuration.name.text, of: stream.text)
            }
            return PullConsumer(subscription, of: self)
        } catch {
            ownThreads.giveBack()
            throw error
        }
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
