import Synchronization

/// Some keys of a bucket as a durable consumer gives them to one client: each value until its key
/// gets another, again and again, and each deletion once.
///
/// A client that may not make a ``BucketWatch`` can be permitted to use a feed that another has
/// made for it. It needs no beginning and no end: after a restart, the present values come again.
package final class BucketFeed: Sendable {
    /// The keys of which the last revision is remembered: 18 MB of the longest.
    private static let keysMax = 100_000

    private let consumer: PullConsumer
    private let prefix: String
    /// The last revision of each key, because an older one may be given again after it.
    private let revisions = Mutex<[Key: Revision]>([:])

    init(_ consumer: PullConsumer, prefix: String) {
        self.consumer = consumer
        self.prefix = prefix
    }

    /// What the feed gives, in its order; nothing if nothing came in time, or if nobody has made
    /// the feed yet.
    package func next(within limit: Duration) async throws(NATSError) -> [BucketEntry] {
        var entries: [BucketEntry] = []
        for message in try await consumer.fetch(Limits.fetchMax, within: limit) {
            guard let key = Key(message.subject.dropFirst(prefix.count)) else {
                // Another client has written a key that this one can't name.
                try await message.drop()
                continue
            }
            let content: BucketEntry.Content =
                message.isDeletion ? .deleted : .value(message.payload)
            let entry = try BucketEntry(
                key,
                content,
                sequence: message.sequence,
                nanoseconds: message.nanoseconds
            )
            if isLast(entry) { entries.append(entry) }
            if message.isDeletion { try await message.drop() }
        }
        return entries
    }

    private func isLast(_ entry: BucketEntry) -> Bool {
        revisions.withLock { revisions in
            if let known = revisions[entry.key], known > entry.revision { return false }
            if revisions.count == Self.keysMax { revisions = [:] }
            revisions[entry.key] = entry.revision
            return true
        }
    }
}

extension Bucket {
    /// Makes a feed for another client; if it is there already, it goes on as it is.
    ///
    /// - Parameters:
    ///   - filter: the keys.
    ///   - pause: after which a value that is still there is given again.
    ///   - keysMax: the number of keys that have a value at once. If there are more, the others
    ///     wait.
    package func createFeed(
        _ name: ConsumerName,
        of filter: KeyFilter,
        again pause: Duration,
        keysMax: UInt16
    ) async throws(NATSError) {
        var configuration = ConsumerConfiguration(name)
        guard let subjects = SubjectFilter("$KV.\(self.name).\(filter)") else {
            throw .wrongArgument("\(filter) is too long")
        }
        configuration.filter = subjects
        configuration.start = .lastOfEachSubject
        configuration.acknowledgementLimit = pause
        configuration.pendingMax = keysMax
        try await connection.createConsumer(configuration, of: StreamName(of: self.name))
    }

    /// Opens a feed that another client has made, or is still to make.
    package func feed(_ name: ConsumerName) async throws(NATSError) -> BucketFeed {
        BucketFeed(
            try await connection.consumer(name, of: StreamName(of: self.name)),
            prefix: "$KV.\(self.name)."
        )
    }
}
