import BLEOTA

extension DirectoryStore {
    /// Runs a closure while the directory of the store exists, and throws when it is gone. A
    /// service manager can then restart the process, which opens the current store.
    nonisolated func whileThere(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.awaitLoss()
                return false
            }
            group.addTask {
                try await body()
                return true
            }
            defer { group.cancelAll() }
            // If the task is cancelled, `awaitLoss` may return first; in that case, only the result
            // of the body counts.
            while let isBody = try await group.next(), !isBody {}
        }
    }
}
