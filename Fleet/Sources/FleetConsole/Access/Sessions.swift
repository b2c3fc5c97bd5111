package import FleetModel

/// The sessions of the users who are logged in.
///
/// It has no clock and draws nothing: the present and random bytes come in.
package struct Sessions: Sendable {
    /// A session ends after a working day, however much it is used, so that a cookie that was
    /// stolen is worth little.
    package static let lifetime = Span.seconds(12 * 3_600)
    /// A fleet has a few operators. When there are more sessions, the oldest ends.
    package static let countMax = 64

    package struct Session: Sendable, Hashable {
        /// What a form must bring along, so that no other site's page can send one.
        package let formSecret: Secret
        fileprivate let end: Uptime
    }

    private var sessions: [Secret: Session] = [:]

    package init() {}

    package var count: Int { sessions.count }

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - id: what its cookie holds, from a generator that nobody can predict.
    ///   - formSecret: likewise, another one.
    package mutating func begin(_ id: Secret, _ formSecret: Secret, at now: Uptime) {
        sessions = sessions.filter { now < $0.value.end }
        if sessions.count >= Self.countMax,
            let oldest = sessions.min(by: { $0.value.end < $1.value.end })
        {
            sessions[oldest.key] = nil
        }
        sessions[id] = Session(formSecret: formSecret, end: now + Self.lifetime)
    }

    package mutating func end(_ id: Secret) { sessions[id] = nil }

    /// The session of a cookie; `nil` if there is none, or its time is over.
    package func session(_ id: Secret, at now: Uptime) -> Session? {
        guard let session = sessions[id], now < session.end else { return nil }
        return session
    }
}
