import Glibc

/// How often a test tries what happens at random.
package enum Rounds {
    /// New seeds: `count` of them, or `full` with `FLEET_TEST_SCOPE=full`; `FLEET_TEST_SEED=…`
    /// replays one.
    package static func seeds(_ count: Int, full: Int) -> [UInt64] {
        if let seed = variable("FLEET_TEST_SEED").flatMap({ UInt64($0) }) { return [seed] }
        let first = UInt64.random(in: .min ... .max)
        let seeds = (0..<(isFull ? full : count)).map { first &+ UInt64($0) }
        print("FLEET_TEST_SEED replays one of \(seeds)")
        return seeds
    }

    private static var isFull: Bool { variable("FLEET_TEST_SCOPE") == "full" }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
