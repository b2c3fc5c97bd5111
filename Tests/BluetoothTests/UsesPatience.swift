/// Waits for what others bring about.
enum UsesPatience {
    /// Waits until a condition holds, which is asked again and again.
    static func wait(
        for what: @autoclosure () -> String,
        within seconds: Int = 60,
        _ condition: () throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try !condition() {
            guard ContinuousClock.now < deadline else {
                throw GuestFailure("waited \(seconds) s in vain for: \(what())")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
