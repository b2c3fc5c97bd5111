import BLEOTA

extension DirectoryStore {
    /// Runs a closure while the directory of the store exists, and throws an error if the directory
    /// is removed. A service manager then restarts the process, which opens the store that exists
    /// by then.
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
            // Cancelling the task ends the watch first, but only the result of the body counts.
            while let isBody = try await group.next(), !isBody {}
        }
    }
}
