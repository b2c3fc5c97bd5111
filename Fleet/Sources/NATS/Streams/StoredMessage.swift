/// What the server says when it has stored a message.
package struct StoredMessage: Sendable, Hashable {
    /// The place in the stream, from 1.
    package let sequence: UInt64
    /// Whether the server had a message with the same ``MessageID`` already, at this place, so that
    /// it stored nothing.
    package let isDuplicate: Bool
}
