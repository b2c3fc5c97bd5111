import Glibc

/// Why the file of a seed can't be used to sign what a server asks for.
package struct SeedProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Cause: Sendable, Hashable {
        /// The system's number of the error, such as `ENOENT`.
        case system(Int32)
        /// The file is there, and has something else.
        case noSeed
    }

    package let file: String
    package let cause: Cause

    package init(_ file: String, _ cause: Cause) {
        self.file = file
        self.cause = cause
    }

    package var description: String {
        switch cause {
        case .system(let error): "\(file) can't be read: \(String(cString: strerror(error)))"
        case .noSeed: "\(file) has no seed"
        }
    }
}

/// How long a connection goes on without the seed that it needs to connect again. Somebody may be
/// about to put another file there, which takes seconds. After a minute, it was taken away.
struct SeedPatience: Sendable {
    /// The most time between the first signature that failed and the last.
    let limit: Duration
    private var since: ContinuousClock.Instant?

    init(limit: Duration) { self.limit = limit }

    /// Takes in that a signature failed.
    ///
    /// - Returns: whether the patience is over.
    mutating func failed(at now: ContinuousClock.Instant) -> Bool {
        let since = since ?? now
        self.since = since
        return since.duration(to: now) >= limit
    }

    mutating func signed() { since = nil }
}
