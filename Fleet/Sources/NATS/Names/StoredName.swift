/// The name of something that a server keeps: 1 to 64 letters, digits, `_` and `-`.
///
/// `Thing` says of what, so that the name of a bucket is not taken for that of a stream.
package struct StoredName<Thing>: Sendable, Hashable, CustomStringConvertible {
    /// It is the name of a folder in the server's store, and a token of its subjects.
    package static var byteCountMax: Int { 64 }

    /// The name as text.
    package let text: String

    /// Parses a name; `nil` if `text` is not one.
    package init?(_ text: String) {
        guard NameText.isWord(text, byteCountMax: Self.byteCountMax) else { return nil }
        self.text = text
    }

    /// The name as text.
    package var description: String { text }
}

/// The name of a bucket of keys.
package typealias BucketName = StoredName<Bucket>
/// The name of a durable consumer of a stream.
package typealias ConsumerName = StoredName<PullConsumer>
/// The name of a stream.
package typealias StreamName = StoredName<StreamConfiguration>

extension StreamName {
    /// The stream that holds a bucket. Every client of NATS finds a bucket there.
    package init(of bucket: BucketName) { text = "KV_" + bucket.text }
}
