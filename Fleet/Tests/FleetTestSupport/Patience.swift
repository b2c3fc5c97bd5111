package import NATS

/// How long tests wait for an answer of a server: as long as an operation may.
///
/// Programs wait for 5 s. A machine that runs many tests, each with servers of its own, and
/// something else besides, may take longer. A test asks whether an answer is right.
package enum Patience {
    package static let limit = Limits.longestWait

    /// What tells a process of the tool, which waits like any program without it.
    package static let variables = ["BLEOTA_FLEET_ANSWER_LIMIT=\(limit.components.seconds)"]
}

extension ConnectionOptions {
    /// How a test connects to its servers.
    package init(toTest servers: [ServerAddress]) {
        self.init(servers: servers)
        requestLimit = Patience.limit
        connectLimit = Patience.limit
    }
}
