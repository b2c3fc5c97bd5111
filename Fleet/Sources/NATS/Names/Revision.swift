/// The number of a key's value, which grows with every write to its bucket. The first is 1.
package struct Revision: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number.
    package let number: UInt64

    /// Makes a revision; `nil` if the number is 0, which a server never assigns.
    package init?(_ number: UInt64) {
        guard number > 0 else { return nil }
        self.number = number
    }

    /// Orders revisions by the time of their writing.
    package static func < (left: Revision, right: Revision) -> Bool { left.number < right.number }

    /// The number as text.
    package var description: String { "\(number)" }
}
