/// Keys with values, each of which has a revision, for writing on condition that nobody else has
/// written.
package struct Bucket: Sendable {
    /// Which server is asked for a value.
    package enum Reading: Sendable, Hashable {
        /// The one that leads, whose value isn't older than what another client was told.
        case leader
        /// Any that has the bucket. The key is a part of the request's subject, so that a user can
        /// be permitted some keys only.
        case anyServer
    }

    package let name: BucketName
    package let connection: NATSConnection
    package let reading: Reading

    private var stream: String { StreamName(of: name).text }
    private func subject(_ key: Key) -> String { "$KV.\(name).\(key)" }

    /// The value of a key.
    ///
    /// - Throws: ``NATSError/notFound`` if there is no such key, or it was deleted.
    package func get(_ key: Key) async throws(NATSError) -> BucketEntry {
        let entry = try await last(key)
        if entry.content == .deleted { throw .notFound }
        return entry
    }

    /// The last revision of a key, also if that deleted it.
    private func last(_ key: Key) async throws(NATSError) -> BucketEntry {
        let (subject, stream, reading) = (subject(key), stream, reading)
        let request =
            switch reading {
            case .leader: "$JS.API.STREAM.MSG.GET.\(stream)"
            case .anyServer: "$JS.API.DIRECT.GET.\(stream).\(subject)"
            }
        return try await connection.perform(on: request) { handle throws(NATSError) in
            let message = try handle.lastMessage(of: subject, in: stream, from: reading)
            return try BucketEntry(
                message,
                key: key,
                sequence: message.sequence,
                nanoseconds: message.nanoseconds
            )
        }
    }

    /// Gives a key its first value.
    ///
    /// - Throws: ``NATSError/revisionConflict`` if it has one.
    package func create(_ key: Key, _ value: [UInt8]) async throws(NATSError) -> Revision {
        do {
            return try await write(key, value, after: nil)
        } catch {
            guard error == .revisionConflict else { throw error }
            // A deleted key has a last message all the same.
            let last = try await last(key)
            guard last.content == .deleted else { throw .revisionConflict }
            return try await write(key, value, after: last.revision)
        }
    }

    /// Gives a key another value, on condition that `revision` is its last: compare-and-set.
    ///
    /// After ``NATSError/timeout`` or ``NATSError/disconnected(_:)`` it may have been written: read
    /// the key before writing again.
    ///
    /// - Throws: ``NATSError/revisionConflict`` if it isn't the last.
    package func update(
        _ key: Key,
        _ value: [UInt8],
        after revision: Revision
    ) async throws(NATSError) -> Revision {
        try await write(key, value, after: revision)
    }

    /// Deletes a key, on condition that `revision` is its last. Watches see that.
    ///
    /// - Throws: ``NATSError/revisionConflict`` if it isn't the last.
    package func delete(_ key: Key, after revision: Revision) async throws(NATSError) {
        _ = try await write(key, nil, after: revision)
    }

    private func write(
        _ key: Key,
        _ value: [UInt8]?,
        after revision: Revision?
    ) async throws(NATSError) -> Revision {
        if let value { try NATSConnection.checkPayload(value) }
        var publication = Publication(subject: subject(key), payload: value ?? [])
        publication.expectation = .lastOfSubject(revision?.number)
        if value == nil { publication.headers = [("KV-Operation", "DEL")] }
        let stored = try await connection.store(publication)
        guard let written = Revision(stored.sequence) else { throw .failed("a revision of 0") }
        return written
    }

    /// What is in the stream behind the bucket, as the server says that leads it.
    ///
    /// - Throws: ``NATSError/timeout``, or another error, while none does.
    package func state() async throws(NATSError) -> StreamState {
        try await connection.state(of: StreamName(of: name))
    }

    /// The keys that have a value, in no order.
    ///
    /// - Throws: ``NATSError/wrongArgument(_:)`` if there are more than ``Limits/keysMax``: ask for
    ///   fewer, or use ``watch(_:history:)``.
    package func keys(_ filter: KeyFilter = .all) async throws(NATSError) -> Set<Key> {
        let watch = try await watch(filter, headersOnly: true)
        var iterator = watch.makeAsyncIterator()
        var keys: Set<Key> = []
        while let change = try await iterator.next() {
            switch change {
            case .entry(let entry) where entry.content == .deleted: keys.remove(entry.key)
            case .entry(let entry): keys.insert(entry.key)
            case .startedOver: keys = []
            case .caughtUp: return keys
            }
            guard keys.count <= Limits.keysMax else {
                throw .wrongArgument("\(filter) stands for more than \(Limits.keysMax) keys")
            }
        }
        throw .cancelled
    }

    /// Watches keys: first their present values, or all revisions that are kept, then
    /// ``BucketChange/caughtUp``, then every later revision in its order, until the watch or its
    /// task is released. Goes on after a reconnection, and leaves out nothing that the bucket
    /// keeps: with a history of one, a slow reader sees only the last of several revisions.
    ///
    /// - Throws: ``NATSError/notFound`` if there is no such bucket; ``NATSError/busy`` if there are
    ///   ``Limits/ownThreadsMax`` consumers and watches on this connection.
    package func watch(
        _ filter: KeyFilter = .all,
        history: Bool = false
    ) async throws(NATSError) -> BucketWatch {
        try await watch(filter, history: history, headersOnly: false)
    }

    private func watch(
        _ filter: KeyFilter,
        history: Bool = false,
        headersOnly: Bool
    ) async throws(NATSError) -> BucketWatch {
        let plan = WatchPlan(
            stream: stream,
            prefix: "$KV.\(name).",
            filter: filter.text,
            hasHistory: history,
            isHeadersOnly: headersOnly
        )
        return try await BucketWatch.open(plan, on: connection)
    }
}
