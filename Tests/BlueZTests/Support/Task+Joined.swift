extension Task where Failure == any Error {
    /// Waits for the outcome, and cancels the task with the test: one that waits for what never
    /// comes would hold up all others.
    var joined: Success {
        get async throws {
            try await withTaskCancellationHandler {
                try await value
            } onCancel: {
                cancel()
            }
        }
    }
}
