import Glibc

/// SplitMix64: random numbers that a printed seed gives again, with `BLEOTA_TEST_SEED=0x…` in the
/// environment.
struct TestRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The seeds of `count` rounds of one test: those of the environment if it names one.
    static func seeds(_ count: Int, for test: String = #function) -> [UInt64] {
        if let text = getenv("BLEOTA_TEST_SEED").map({ String(cString: $0) }),
            let seed = UInt64(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
        {
            return [seed]
        }
        let first = UInt64.random(in: 0...UInt64.max)
        print("\(test): \(count) rounds from BLEOTA_TEST_SEED=0x\(String(first, radix: 16))")
        return (0..<count).map { first &+ UInt64($0) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var word: UInt64 = 0
            for index in 0..<count {
                if index & 7 == 0 { word = next() }
                buffer[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
            }
            initialized = count
        }
    }
}
