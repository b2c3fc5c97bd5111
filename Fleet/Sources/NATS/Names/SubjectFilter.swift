/// A set of subjects: as a ``Subject``, but a token may be `*`, which stands for any token, and the
/// last may be `>`, which stands for one or more.
package struct SubjectFilter: Sendable, Hashable, CustomStringConvertible {
    /// The filter as text.
    package let text: String

    /// Parses a filter; `nil` if `text` is not one.
    package init?(_ text: String) {
        guard
            NameText.areFilterTokens(
                text,
                byteCountMax: Subject.byteCountMax,
                Subject.isToken
            )
        else { return nil }
        self.text = text
    }

    /// The set of one subject.
    package init(_ subject: Subject) { text = subject.text }

    /// The filter as text.
    package var description: String { text }
}
