/// A small random number generator whose numbers depend only on its seed, on every machine and in
/// every version: the SplitMix64 sequence. It is not suitable for secrets.
package struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    /// Starts the sequence that belongs to `seed`. Every value is suitable.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 random bits. The sequence repeats after 2^64 numbers.
    package mutating func next() -> UInt64 {
        // Adding the golden ratio as a 64-bit fraction visits every state once. The two
        // multiplications are the finalizer published with the generator.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number in `range`, the same on every machine. The standard library may change how
    /// it draws from a range, but a fault plan must always have the same meaning.
    ///
    /// - Parameter range: at most 2^32 numbers. The bias is then below one in 2^32.
    mutating func next(in range: ClosedRange<Int>) -> Int {
        let (high, _) = next().multipliedFullWidth(by: UInt64(range.count))
        return range.lowerBound + Int(high)
    }
}
