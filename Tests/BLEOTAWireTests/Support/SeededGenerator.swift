import Glibc

/// SplitMix64: random numbers that a printed seed gives again.
///
/// Each test draws its own seed and prints it; `BLEOTA_TEST_SEED=0x…` in the environment replays
/// it.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator for one test, whose seed it prints.
    init(for test: String = #function) {
        let seed = SeededGenerator.seedFromEnvironment ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): BLEOTA_TEST_SEED=0x\(String(seed, radix: 16))")
        self.init(seed: seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func bytes(_ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    private static var seedFromEnvironment: UInt64? {
        guard let text = getenv("BLEOTA_TEST_SEED").map({ String(cString: $0) }) else { return nil }
        return text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }
}
