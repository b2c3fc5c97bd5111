import Glibc

/// How often a test tries what happens at random.
enum Rounds {
    /// New seeds, five of them, or fifty with `FLEET_TEST_SCOPE=full`; `FLEET_TEST_SEED=…` replays
    /// one.
    static let seeds: [UInt64] = {
        if let seed = variable("FLEET_TEST_SEED").flatMap({ UInt64($0) }) { return [seed] }
        let first = UInt64.random(in: .min ... .max)
        let count = variable("FLEET_TEST_SCOPE") == "full" ? 50 : 5
        let seeds = (0..<count).map { first &+ UInt64($0) }
        print("FLEET_TEST_SEED replays one of \(seeds)")
        return seeds
    }()

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
