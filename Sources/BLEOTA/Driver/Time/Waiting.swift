/// Waits with a limit.
package enum Waiting {
    /// The result of `body`, or `nil` if it takes longer than `limit` and is therefore cancelled.
    package static func first<Value: Sendable>(
        within limit: Duration,
        _ body: @escaping @Sendable () async throws(TransferError) -> Value
    ) async throws(TransferError) -> Value? {
        let result = await withTaskGroup(of: Result<Value, TransferError>?.self) { group in
            group.addTask {
                do throws(TransferError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            // A value that arrived just as the limit ended must not be lost.
            for await late in group {
                if first == nil, case .success = late { return late }
            }
            return first
        }
        guard let result else {
            if Task.isCancelled { throw TransferError(.cancelled) }
            return nil
        }
        return try result.get()
    }
}
