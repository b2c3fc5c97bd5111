package import FleetModel
package import NATS

/// A bucket whose values are of one type, each under a name that the fleet gives it.
///
/// ```swift
/// let entry = try await store.campaigns.get(id)
/// var campaign = entry.value
/// campaign.handle(.pause)
/// _ = try await store.campaigns.update(id, campaign, after: entry.revision)
/// ```
package struct Shelf<Name: ShelfName, Value: Stored & Sendable>: Sendable {
    let bucket: Bucket

    /// A value at a revision.
    package struct Entry: Sendable {
        package let name: Name
        package let value: Value
        package let revision: Revision
        /// When the server stored it, by its clock: for people.
        package let moment: Moment

        init(_ name: Name, _ value: Value, _ entry: BucketEntry) {
            self.name = name
            self.value = value
            revision = entry.revision
            moment = Moment(nanoseconds: entry.nanoseconds)
        }
    }

    /// What a watch sees; ``BucketChange`` has the order.
    package enum Change: Sendable {
        case value(Entry)
        case deleted(Name, Revision)
        /// Someone wrote what is no such value, or under no such name: a program of another
        /// version, or one that isn't ours.
        case unreadable(Key, Revision)
        case caughtUp
        case startedOver
    }

    /// - Throws: ``FleetStoreError/nats(_:)`` with ``NATSError/notFound``;
    ///   ``FleetStoreError/unreadable(_:_:)``.
    package func get(_ name: Name) async throws(FleetStoreError) -> Entry {
        let entry = try await asking { bucket throws(NATSError) in try await bucket.get(name.key) }
        do {
            return Entry(name, try Value(from: entry.value ?? []), entry)
        } catch {
            throw .unreadable(name.key, error)
        }
    }

    /// Writes a value that wasn't there.
    ///
    /// - Throws: ``FleetStoreError/nats(_:)`` with ``NATSError/revisionConflict`` if it was.
    @discardableResult
    package func create(_ name: Name, _ value: Value) async throws(FleetStoreError) -> Revision {
        try await asking { bucket throws(NATSError) in
            try await bucket.create(name.key, value.bytes)
        }
    }

    /// Replaces a value, on condition that `revision` is the last.
    ///
    /// - Throws: ``FleetStoreError/nats(_:)`` with ``NATSError/revisionConflict`` if it isn't.
    @discardableResult
    package func update(
        _ name: Name,
        _ value: Value,
        after revision: Revision
    ) async throws(FleetStoreError) -> Revision {
        try await asking { bucket throws(NATSError) in
            try await bucket.update(name.key, value.bytes, after: revision)
        }
    }

    /// Writes a value, whatever was there: for those that have one writer.
    @discardableResult
    package func put(_ name: Name, _ value: Value) async throws(FleetStoreError) -> Revision {
        while true {
            do {
                return try await create(name, value)
            } catch {
                guard error == .nats(.revisionConflict) else { throw error }
            }
            do {
                let last = try await asking { bucket throws(NATSError) in
                    try await bucket.get(name.key)
                }
                return try await update(name, value, after: last.revision)
            } catch {
                // Between the two, another wrote or deleted it.
                guard error == .nats(.revisionConflict) || error == .nats(.notFound) else {
                    throw error
                }
            }
        }
    }

    /// Deletes a value, on condition that `revision` is the last.
    package func delete(_ name: Name, after revision: Revision) async throws(FleetStoreError) {
        try await asking { bucket throws(NATSError) in
            try await bucket.delete(name.key, after: revision)
        }
    }

    /// Watches all values, or those that `filter` stands for.
    package func watch(_ filter: KeyFilter = .all) async throws(FleetStoreError) -> Watch {
        Watch(
            try await asking { bucket throws(NATSError) in try await bucket.watch(filter) }
        )
    }

    /// The values that the store still has of a name, the oldest first; those that can't be read
    /// are left out.
    package func history(of name: Name) async throws(FleetStoreError) -> [Entry] {
        // A name is a key, and a key is a filter for itself.
        let filter = KeyFilter(name.key.text)!
        let watch = try await asking { bucket throws(NATSError) in
            try await bucket.watch(filter, history: true)
        }
        var entries: [Entry] = []
        for try await change in Watch(watch) {
            switch change {
            case .value(let entry): entries.append(entry)
            case .startedOver: entries = []
            case .deleted, .unreadable: break
            case .caughtUp: return entries
            }
        }
        throw .nats(.cancelled)
    }

    private func asking<Answer: Sendable>(
        _ body: (Bucket) async throws(NATSError) -> Answer
    ) async throws(FleetStoreError) -> Answer {
        do { return try await body(bucket) } catch { throw .nats(error) }
    }

    /// The changes of a shelf, read once, by one task.
    package struct Watch: AsyncSequence, Sendable {
        private let watch: BucketWatch

        init(_ watch: BucketWatch) { self.watch = watch }

        package func makeAsyncIterator() -> Iterator { Iterator(watch.makeAsyncIterator()) }

        package struct Iterator: AsyncIteratorProtocol {
            private var changes: BucketWatch.AsyncIterator

            init(_ changes: BucketWatch.AsyncIterator) { self.changes = changes }

            package mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(FleetStoreError) -> Change? {
                do {
                    guard let change = try await changes.next(isolation: actor) else { return nil }
                    return Change(change)
                } catch {
                    throw .nats(error)
                }
            }
        }
    }
}

extension Shelf.Change {
    init(_ change: BucketChange) {
        switch change {
        case .caughtUp: self = .caughtUp
        case .startedOver: self = .startedOver
        case .entry(let entry):
            guard let name = Name(entry.key) else {
                self = .unreadable(entry.key, entry.revision)
                return
            }
            guard let bytes = entry.value else {
                self = .deleted(name, entry.revision)
                return
            }
            guard let value = try? Value(from: bytes) else {
                self = .unreadable(entry.key, entry.revision)
                return
            }
            self = .value(.init(name, value, entry))
        }
    }
}
