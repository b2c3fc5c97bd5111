import Synchronization

/// The links that a service has, and which of them makes room for one more.
final class LinkRoster: Sendable {
    private struct Entry {
        let link: ServedLink
        /// It was closed, and will be gone in a moment.
        var isLeaving = false
    }

    private static let pause: Duration = .milliseconds(1)

    private let linkCountMax: Int
    /// Links that were closed and are not gone yet; with more the service waits for them.
    private let leavingCountMax: Int
    /// In the order in which they came.
    private let entries = Mutex<[Entry]>([])

    init(linkCountMax: Int) {
        precondition(linkCountMax > 0, "a service has to serve somebody")
        self.linkCountMax = linkCountMax
        leavingCountMax = max(1, linkCountMax / 4)
    }

    /// Takes a link in, once there is room for it; false in a cancelled task.
    func enter(_ link: ServedLink) async -> Bool {
        while !Task.isCancelled {
            let (isFull, isCrowded) = entries.withLock { entries -> (Bool, Bool) in
                let leavingCount = entries.count { $0.isLeaving }
                let isFull = entries.count - leavingCount >= linkCountMax
                if !isFull { entries.append(Entry(link: link)) }
                return (isFull, leavingCount >= leavingCountMax)
            }
            if !isFull { return true }
            // Nobody may leave just now: those that are to leave are not gone, or all are needed.
            if isCrowded || !makeRoom() { try? await Task.sleep(for: Self.pause) }
        }
        return false
    }

    func leave(_ link: ServedLink) {
        entries.withLock { $0.removeAll { $0.link === link } }
    }

    /// Closes the link that is missed least: of the process that has most links, and there the
    /// oldest, those without a session first. A link that has the store stays.
    ///
    /// - Returns: whether there was one.
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
