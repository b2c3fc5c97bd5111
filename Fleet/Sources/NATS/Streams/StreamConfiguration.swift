/// What a stream keeps, and where.
package struct StreamConfiguration: Sendable, Hashable {
    /// What happens to a message that nobody needs any more, or for which there is no room.
    package enum Retention: Sendable, Hashable {
        /// Messages stay until there are too many or they are too old; then the oldest go.
        case limits
        /// A message goes when its one consumer has acknowledged it.
        case workQueue
    }

    package var name: StreamName
    /// The messages that the stream stores: 1 to ``subjectsMax`` sets, which no other stream has.
    package var subjects: [SubjectFilter]
    package var retention = Retention.limits
    /// The number of servers that store each message: 1, 3 or 5.
    package var replicaCount = ReplicaCount.one
    /// The largest number of messages; `nil` for no limit.
    package var messagesMax: Int64?
    /// The largest number of bytes in the store; `nil` for no limit but the account's.
    package var byteCountMax: Int64?
    /// The largest message, with its headers; `nil` for no limit but the server's.
    package var messageByteCountMax: Int32?
    /// Whether the server refuses to delete messages for a client that asks for it.
    package var isAppendOnly = false
    /// How long a message is kept; `nil` for ever.
    package var ageMax: Duration?
    /// How long a ``MessageID`` is remembered. Longer than any caller tries again.
    package var deduplicationWindow = Duration.seconds(120)

    /// A stream needs few sets of subjects; the server compares each with those of all streams.
    package static let subjectsMax = 16

    /// Makes a stream that keeps everything, on one server.
    package init(_ name: StreamName, subjects: [SubjectFilter]) {
        self.name = name
        self.subjects = subjects
    }
}
