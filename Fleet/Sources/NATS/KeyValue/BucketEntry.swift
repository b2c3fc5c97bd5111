/// A key's value, or that it has none any more, at a revision.
package struct BucketEntry: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case value([UInt8])
        /// The key was deleted, by a client or because it was too old.
        case deleted
    }

    package let key: Key
    package let revision: Revision
    package let content: Content
    /// When the server stored it, by its clock: nanoseconds since 1970.
    package let nanoseconds: Int64

    /// The value; `nil` if the key was deleted.
    package var value: [UInt8]? {
        if case .value(let value) = content { value } else { nil }
    }

    /// Reads a message of the bucket's stream.
    init(
        _ message: borrowing CMessage,
        key: Key,
        sequence: UInt64,
        nanoseconds: Int64
    ) throws(NATSError) {
        let content = message.isDeletion ? Content.deleted : .value(message.payload)
        try self.init(key, content, sequence: sequence, nanoseconds: nanoseconds)
    }

    /// - Throws: if the sequence is 0, which no server sends.
    init(_ key: Key, _ content: Content, sequence: UInt64, nanoseconds: Int64) throws(NATSError) {
        guard let revision = Revision(sequence) else { throw .failed("a revision of 0") }
        self.key = key
        self.revision = revision
        self.content = content
        self.nanoseconds = nanoseconds
    }
}
