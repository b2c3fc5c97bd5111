/// The generator SplitMix64. It is implemented here so that a seed gives the same run on every
/// machine and with every version of Swift.
struct SimulationRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// Returns a number in a closed range. The modulo bias is negligible here.
    mutating func int(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    /// Returns a number whose bit width is uniformly distributed, so small and large values are
    /// equally likely.
    mutating func logarithmic(_ range: ClosedRange<Int>) -> Int {
        var value = range.lowerBound
        let doublings = int(0...max(0, bitWidth(range.upperBound) - bitWidth(range.lowerBound)))
        value = max(1, value) << doublings
        return min(
            max(int(max(range.lowerBound, value)...max(value, 2 * value)), range.lowerBound),
            range.upperBound
        )
    }

    mutating func chance(_ probability: Double) -> Bool {
        guard probability > 0 else { return false }
        return Double(next() >> 11) * 0x1p-53 < probability
    }

    mutating func element<Element>(_ elements: [Element]) -> Element {
        elements[int(0...elements.count - 1)]
    }

    mutating func bytes(_ byteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + 8)
        while bytes.count < byteCount {
            let word = next()
            for shift in 0..<8 {
                bytes.append(UInt8(truncatingIfNeeded: word &>> UInt64(8 * shift)))
            }
        }
        bytes.removeLast(bytes.count - byteCount)
        return bytes
    }

    private func bitWidth(_ value: Int) -> Int { Int.bitWidth - value.leadingZeroBitCount }
}
