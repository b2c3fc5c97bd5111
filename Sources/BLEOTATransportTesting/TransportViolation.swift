/// A rule that a transport breaks, and how that showed.
public struct TransportViolation: Sendable, Hashable, CustomStringConvertible {
    /// The rule.
    public let rule: TransportRule
    /// What was expected and what happened.
    public let sentence: String

    /// The name of the rule and the sentence.
    public var description: String { "\(rule.rawValue): \(sentence)" }
}

/// Ends the check of a rule that is broken.
struct Finding: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
