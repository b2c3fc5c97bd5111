/// A server that keeps a stream.
package struct StreamKeeper: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case leads
        /// It has everything.
        case follows
        /// It does not have everything yet: the number of messages or other steps that it lacks.
        case behind(stepCount: UInt64)
        /// The leader does not hear from it.
        case silent
    }

    /// The leader has not heard from a server that is silent for longer.
    static let silenceMax = Duration.seconds(5)

    /// The server's name in its configuration.
    package let name: String
    package let state: State

    /// Whether it has everything.
    package var isCurrent: Bool { state == .leads || state == .follows }
}
