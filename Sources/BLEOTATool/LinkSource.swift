import BLEOTA

/// Where the links of a receiver come from.
protocol LinkSource: Sendable {
    /// Waits for the next link.
    func next() async throws -> any Transport

    /// Takes no more links.
    func end() async
}
