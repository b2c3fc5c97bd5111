/// The public half of a user's key pair: 56 characters, of which the first is `U`.
package struct NKey: Sendable, Hashable, CustomStringConvertible {
    /// The key as text.
    package let text: String

    /// Parses a public key; `nil` if `text` is not one, or has a wrong checksum.
    ///
    /// A seed, which begins with `S`, is not accepted, so that none is printed by mistake.
    package init?(_ text: String) {
        guard text.utf8.count == 56, text.hasPrefix("U"),
            NKeyText.decoded(text)?.count == 33
        else { return nil }
        self.text = text
    }

    /// Makes the text of a public key of 32 bytes.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == 32)
        // Five bits for a user, `U`, and three that are 0.
        text = NKeyText.encoded([20 << 3] + bytes)
    }

    /// The key as text.
    package var description: String { text }
}
