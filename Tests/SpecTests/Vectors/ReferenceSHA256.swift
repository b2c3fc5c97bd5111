/// SHA-256 as FIPS 180-4 words it, for the tags in the vectors; slow, and apart from any library.
enum ReferenceSHA256 {
    static func hash(of message: [UInt8]) -> [UInt8] {
        let zeroCount = (119 - message.count % 64) % 64
        let bitCount = UInt64(message.count) * 8
        let padded =
            message + [0x80] + [UInt8](repeating: 0, count: zeroCount)
            + (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * $0)) }
        var state = roots.square
        for start in stride(from: 0, to: padded.count, by: 64) {
            compress(padded[start..<start + 64], into: &state)
        }
        return state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
        }
    }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { offset in
            block[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let early = words[index - 15]
            let late = words[index - 2]
            let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let first = h &+ mixed &+ (e & f ^ ~e & g) &+ roots.cube[index] &+ words[index]
            let second =
                (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The first 32 bits of the fractions of the square roots of the first 8 primes and of the cube
    /// roots of the first 64, by integer arithmetic.
    private static let roots: (square: [UInt32], cube: [UInt32]) = {
        let primes = (2...311).filter { number in
            !(2..<number).contains { number.isMultiple(of: $0) }
        }
        return (
            primes.prefix(8).map { fraction(of: $0, exponent: 2) },
            primes.prefix(64).map { fraction(of: $0, exponent: 3) }
        )
    }()

    /// The largest x with x^exponent ≤ number · 2^(32 · exponent), less its whole part.
    private static func fraction(of number: Int, exponent: Int) -> UInt32 {
        let bound = UInt128(number) << (32 * UInt128(exponent))
        var root: UInt128 = 0
        for bit in (0..<40).reversed() {
            let larger = root | 1 << UInt128(bit)
            let power = (1..<exponent).reduce(larger) { product, _ in product * larger }
            if power <= bound { root = larger }
        }
        return UInt32(truncatingIfNeeded: root)
    }
}
