/// A violation of a transport rule, with a description.
public struct TransportViolation: Sendable, Hashable, CustomStringConvertible {
    /// The violated rule.
    public let rule: TransportRule
    /// The expected and the actual behavior.
    public let sentence: String

    /// The name of the rule and the description.
    public var description: String { "\(rule.rawValue): \(sentence)" }
}

/// Ends the check of a violated rule.
struct Finding: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
