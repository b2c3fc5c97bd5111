import Synchronization

/// The links of a service. The roster chooses the link to close when there is no room for another.
final class LinkRoster: Sendable {
    private struct Entry {
        let link: ServedLink
        /// Whether the roster has closed the link, which stays listed until it has ended.
        var isLeaving = false
    }

    private static let pause: Duration = .milliseconds(1)

    private let linkCountMax: Int
    /// The number of closed links that may still be ending before the service waits for them.
    private let leavingCountMax: Int
    /// The links in order of arrival.
    private let entries = Mutex<[Entry]>([])

    init(linkCountMax: Int) {
        precondition(linkCountMax > 0, "a service must allow at least one link")
        self.linkCountMax = linkCountMax
        leavingCountMax = max(1, linkCountMax / 4)
    }

    /// Adds a link once there is room for it. Returns false if the task was cancelled first.
    func enter(_ link: ServedLink) async -> Bool {
        while !Task.isCancelled {
            let (isFull, isCrowded) = entries.withLock { entries -> (Bool, Bool) in
                let leavingCount = entries.count { $0.isLeaving }
                let isFull = entries.count - leavingCount >= linkCountMax
                if !isFull { entries.append(Entry(link: link)) }
                return (isFull, leavingCount >= leavingCountMax)
            }
            if !isFull { return true }
            // Too many closed links are still ending, or no other link may be closed.
            if isCrowded || !makeRoom() { try? await Task.sleep(for: Self.pause) }
        }
        return false
    }

    func leave(_ link: ServedLink) {
        entries.withLock { $0.removeAll { $0.link === link } }
    }

    /// Closes the link whose loss matters least. This is a link of the process with the most
    /// links: the oldest of them without a session or, if all of them have sessions, the oldest
    /// of them. The link whose session has the turn at the store is never closed.
    ///
    /// - Returns: whether a link was closed.
    @discardableResult
    func makeRoom() -> Bool {
        let victim = entries.withLock { entries -> ServedLink? in
            let candidates = entries.indices.filter { index in
                !entries[index].isLeaving && !entries[index].link.hasStore
            }
            var counts: [Int32: Int] = [:]
            for index in candidates {
                entries[index].link.process.map { counts[$0, default: 0] += 1 }
            }
            func rank(_ index: Int) -> (Int, Int, Int) {
                let link = entries[index].link
                let count = link.process.flatMap { counts[$0] } ?? 1
                let isBusy = link.isOffering || link.standing != .none
                return (-count, isBusy ? 1 : 0, index)
            }
            guard let index = candidates.min(by: { rank($0) < rank($1) }) else { return nil }
            entries[index].isLeaving = true
            return entries[index].link
        }
        victim?.link.close(.local)
        return victim != nil
    }
}
