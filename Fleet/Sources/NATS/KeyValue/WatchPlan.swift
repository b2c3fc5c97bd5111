/// What a watch asks the server for.
struct WatchPlan: Sendable {
    let stream: String
    /// What stands before a key in its subject.
    let prefix: String
    let filter: String
    let hasHistory: Bool
    let isHeadersOnly: Bool

    var subject: String { prefix + filter }
    var start: FollowStart { hasHistory ? .first : .lastOfEachSubject }
}
