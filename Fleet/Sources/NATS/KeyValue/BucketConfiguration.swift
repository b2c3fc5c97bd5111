/// What a bucket keeps, and where.
package struct BucketConfiguration: Sendable, Hashable {
    package var name: BucketName
    /// The revisions that are kept of each key.
    package var history = History.one
    /// How long a revision is kept; `nil` for ever.
    package var ageMax: Duration?
    /// The number of servers that store each revision.
    package var replicaCount = ReplicaCount.one

    /// The largest value, in bytes; `nil` for no limit but the server's.
    package var valueByteCountMax: Int?
    /// The largest number of bytes in the store; `nil` for no limit but the account's.
    package var byteCountMax: Int64?
    /// Whether the oldest revisions go when there are as many bytes. Otherwise, no more are taken.
    package var forgetsOldest = false

    /// Makes a bucket that keeps the last value of each key, on one server.
    package init(_ name: BucketName) { self.name = name }

    /// A number of revisions, from 1 to 64: a server allows no more.
    package struct History: Sendable, Hashable {
        /// Only the last.
        package static let one = History(unchecked: 1)
        /// As many as possible.
        package static let max = History(unchecked: 64)

        package let count: Int

        /// Makes a number; `nil` if it is not from 1 to 64.
        package init?(_ count: Int) {
            guard (1...64).contains(count) else { return nil }
            self.count = count
        }

        private init(unchecked count: Int) { self.count = count }
    }

    /// The headers of a write on condition are less than 128 bytes.
    private static let headerByteCount = 256

    var plan: StreamPlan {
        var plan = StreamPlan(name: StreamName(of: name).text, subjects: ["$KV.\(name).>"])
        plan.isBucket = true
        plan.isAppendOnly = true
        plan.refusesWhenFull = !forgetsOldest
        plan.byteCountMax = byteCountMax
        plan.messageByteCountMax = valueByteCountMax.map {
            Int32(clamping: $0 + Self.headerByteCount)
        }
        plan.messagesPerSubjectMax = Int64(history.count)
        plan.ageMax = ageMax
        plan.replicaCount = replicaCount
        // A server doesn't remember identities for longer than messages.
        plan.deduplicationWindow = min(ageMax ?? .seconds(120), .seconds(120))
        return plan
    }
}
