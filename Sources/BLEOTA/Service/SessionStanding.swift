/// What a receiver is waiting for. It distinguishes an idle peer from a slow store.
enum SessionStanding: Hashable, Sendable {
    /// There is no session.
    case none
    /// Waiting for the store to look up, judge or verify something, or for the application.
    case working
    /// Waiting for the store to write blocks, while more data may arrive.
    case storing
    /// Waiting for the peer, which has sent `byteCount` new bytes so far.
    case waiting(byteCount: Int)
}
