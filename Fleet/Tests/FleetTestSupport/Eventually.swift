/// Waits until a condition holds that another process brings about.
///
/// - Parameter limit: the default is for busy machines, on which tests that compute keep all of
///   Swift's threads for half a minute.
package func eventually(
    _ what: String,
    within limit: Duration = .seconds(120),
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw ChildProcess.Failure(description: "not in time: \(what)")
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
