import BLEOTA

extension DirectoryStore {
    /// Does something while the directory of the store is there, and throws when it is gone: a
    /// service manager then starts the process again, which opens the store that is there by then.
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
            // A cancelled task ends the watch first; how the body ends then is what counts.
            while let isBody = try await group.next(), !isBody {}
        }
    }
}
