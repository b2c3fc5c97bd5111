/// The latest transmissions among those that arrived.
struct LatestTransmissions: BitwiseCopyable {
    /// The numbers of up to three transmissions, in descending order.
    private var numbers = InlineArray<3, UInt32?>(repeating: nil)

    /// The number of the latest transmission (rank 0), or of one of the two before it. It is
    /// `nil` if fewer have arrived.
    subscript(rank rank: Int) -> UInt32? { numbers[rank] }

    mutating func note(_ number: UInt32) {
        var number = number
        for rank in numbers.indices {
            guard let present = numbers[rank] else {
                numbers[rank] = number
                return
            }
            if number > present {
                numbers[rank] = number
                number = present
            }
        }
    }

    mutating func note(_ others: Self) {
        for rank in others.numbers.indices {
            if let number = others.numbers[rank] { note(number) }
        }
    }
}
