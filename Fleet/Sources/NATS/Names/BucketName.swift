/// The name of a bucket of keys: 1 to 64 letters, digits, `_` and `-`.
package struct BucketName: Sendable, Hashable, CustomStringConvertible {
    /// A bucket's name is the name of a folder in the server's store, and a token of its subjects.
    package static let byteCountMax = 64

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
