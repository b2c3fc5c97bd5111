/// Lets few tests run at once: each has eight processes.
actor Turnstile {
    static let shared = Turnstile(places: 3)

    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(places: Int) { self.places = places }

    func pass(_ body: @Sendable () async throws -> Void) async rethrows {
        if places > 0 { places -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer {
            // The place goes to the next in the row.
            if waiting.isEmpty { places += 1 } else { waiting.removeFirst().resume() }
        }
        try await body()
    }
}
