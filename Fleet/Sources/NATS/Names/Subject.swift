/// The subject of a message: 1 to 255 bytes, tokens with dots between them.
///
/// A token consists of visible ASCII characters other than `*` and `>`, which only a
/// ``SubjectFilter`` may have.
package struct Subject: Sendable, Hashable, CustomStringConvertible {
    /// A server reads lines of up to 4,096 bytes, in which a subject and the one for the answer
    /// stand. With 255 bytes each, there is room for both, and for what a server puts before them.
    package static let byteCountMax = 255

    /// The subject as text.
    package let text: String

    /// Parses a subject; `nil` if `text` is not one.
    package init?(_ text: String) {
        guard NameText.areTokens(text, byteCountMax: Self.byteCountMax, Self.isToken) else {
            return nil
        }
        self.text = text
    }

    static func isToken(_ token: Substring.UTF8View) -> Bool {
        token.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: ">")
        }
    }

    /// The subject as text.
    package var description: String { text }
}
