/// How often a device is tried, and when.
package struct RetryPolicy: Sendable, Hashable {
    /// A device that fails ten times needs a person.
    package static let attemptsMax: UInt8 = 10

    /// The number of attempts, from 1 to ``attemptsMax``.
    package let attemptCount: UInt8
    /// The pause before the second attempt. Each later pause is twice as long.
    package let firstPause: Span
    /// The longest pause.
    package let longestPause: Span

    /// Makes a policy; `nil` if the number of attempts is out of range, or the pauses are in the
    /// wrong order.
    package init?(attemptCount: UInt8, firstPause: Span, longestPause: Span) {
        guard (1...Self.attemptsMax).contains(attemptCount), firstPause <= longestPause else {
            return nil
        }
        self.attemptCount = attemptCount
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// The pause after this attempt, from 1; `nil` if it was the last.
    func pause(after attempt: UInt8) -> Span? {
        guard attempt < attemptCount else { return nil }
        return (1..<attempt).reduce(firstPause) { pause, _ in pause.doubled(max: longestPause) }
    }
}
