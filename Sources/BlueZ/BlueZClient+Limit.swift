extension BlueZClient {
    /// Runs an operation and cancels it when the time limit has passed.
    ///
    /// - Parameters:
    ///   - limit: the longest time that the operation may take; `nil` for no limit.
    ///   - what: the operation that took too long, worded as the beginning of a sentence.
    /// - Throws: ``BlueZError/timedOut(_:)`` with `what`, ``BlueZError/cancelled`` if the
    ///   caller's task is cancelled, and any error of the operation.
    package func limited<Value: Sendable>(
        to limit: Duration?,
        _ what: String,
        _ operation: @escaping @Sendable () async throws(BlueZError) -> Value
    ) async throws(BlueZError) -> Value {
        guard let limit else { return try await operation() }
        let outcome = await withTaskGroup(of: Result<Value, BlueZError>?.self) {
            group -> Result<Value, BlueZError> in
            group.addTask {
                do throws(BlueZError) {
                    return .success(try await operation())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            var isOver = false
            while let ended = await group.next() {
                group.cancelAll()
                guard let outcome = ended else {
                    isOver = true
                    continue
                }
                if isOver, case .failure(.cancelled) = outcome, !Task.isCancelled {
                    return .failure(.timedOut(what))
                }
                return outcome
            }
            return .failure(.cancelled)
        }
        return try outcome.get()
    }
}
