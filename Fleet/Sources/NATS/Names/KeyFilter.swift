/// A set of keys: as a ``Key``, but a token may be `*`, which stands for any token, and the last
/// may be `>`, which stands for one or more.
package struct KeyFilter: Sendable, Hashable, CustomStringConvertible {
    /// Every key of a bucket.
    package static let all = KeyFilter(unchecked: ">")

    /// The filter as text.
    package let text: String

    /// Parses a filter; `nil` if `text` is not one.
    package init?(_ text: String) {
        guard NameText.areFilterTokens(text, byteCountMax: Key.byteCountMax, Key.isToken) else {
            return nil
        }
        self.text = text
    }

    /// The set of one key.
    package init(_ key: Key) { text = key.text }

    private init(unchecked text: String) { self.text = text }

    /// The filter as text.
    package var description: String { text }
}
