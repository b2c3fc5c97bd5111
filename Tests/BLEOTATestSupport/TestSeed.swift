import Glibc

/// SplitMix64: random numbers that a printed seed gives again.
public struct TestSeed: RandomNumberGenerator, Sendable {
    /// What all numbers follow from.
    public let seed: UInt64
    private var state: UInt64

    /// The numbers of this seed.
    public init(_ seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The seeds of `count` rounds: `BLEOTA_TEST_SEED=0x…` of the environment alone if it is set,
    /// else new ones, which are printed.
    public static func rounds(_ count: Int, of test: String = #function) -> [UInt64] {
        if let text = getenv("BLEOTA_TEST_SEED").map({ String(cString: $0) }),
            let seed = UInt64(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
        {
            return [seed]
        }
        let first = UInt64.random(in: .min ... .max)
        print("\(test): \(count) rounds from BLEOTA_TEST_SEED=0x\(String(first, radix: 16))")
        return (0..<count).map { first &+ UInt64($0) }
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var index = 0
            while index < count {
                var word = next()
                for _ in 0..<min(8, count - index) {
                    buffer[index] = UInt8(truncatingIfNeeded: word)
                    word >>= 8
                    index += 1
                }
            }
            initialized = count
        }
    }

    /// A number from 0 on, below a bound.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True in so many of a hundred cases.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
