/// A key of a bucket: 1 to 180 bytes, tokens with dots between them.
///
/// A token consists of letters, digits, `_`, `-`, `/` and `=`.
package struct Key: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The longest subject is 255 bytes, of which `$KV.`, the longest name of a bucket and a dot
    /// take 69. That leaves 186.
    package static let byteCountMax = 180

    /// The key as text.
    package let text: String

    /// Parses a key; `nil` if `text` is not one.
    package init?(_ text: some StringProtocol) {
        let text = String(text)
        guard NameText.areTokens(text, byteCountMax: Self.byteCountMax, Self.isToken) else {
            return nil
        }
        self.text = text
    }

    static func isToken(_ token: Substring.UTF8View) -> Bool {
        token.allSatisfy {
            NameText.isWordByte($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "=")
        }
    }

    /// Orders keys by their text.
    package static func < (left: Key, right: Key) -> Bool { left.text < right.text }

    /// The key as text.
    package var description: String { text }
}
