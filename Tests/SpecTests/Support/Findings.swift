import Testing

/// Expects that nothing was found, and says in one message everything that was.
func expectNone(
    _ findings: [String],
    _ title: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard !findings.isEmpty else { return }
    Issue.record(
        "\(findings.count) \(title):\n\(findings.joined(separator: "\n"))",
        sourceLocation: sourceLocation
    )
}
