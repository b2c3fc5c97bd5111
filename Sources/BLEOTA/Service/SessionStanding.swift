/// What a receiver waits for: it tells a peer that does nothing from a store that is slow.
enum SessionStanding: Hashable, Sendable {
    /// There is no session.
    case none
    /// For the store, which looks something up or verifies it, or for the application.
    case working
    /// For the store, which writes what has come; more may come meanwhile.
    case storing
    /// For the peer, which has brought so many bytes so far that were not there before.
    case waiting(byteCount: Int)
}
