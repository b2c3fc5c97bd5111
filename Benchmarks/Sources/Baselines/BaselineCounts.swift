/// What went wrong for a sender.
struct BaselineCounts {
    /// Aborts, each followed by a restart.
    var restartCount = 0
    /// Waits that ended without what was waited for.
    var timeoutCount = 0
}
