/// What tells a message that is published twice from two messages: 1 to 128 bytes of visible ASCII.
package struct MessageID: Sendable, Hashable, CustomStringConvertible {
    /// A server keeps every identity for two minutes, in memory.
    package static let byteCountMax = 128

    /// The identity as text.
    package let text: String

    /// Parses an identity; `nil` if `text` is not one.
    package init?(_ text: String) {
        guard (1...Self.byteCountMax).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.text = text
    }

    /// The identity as text.
    package var description: String { text }
}
