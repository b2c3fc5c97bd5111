import FleetModel

/// The number of a name in a ``NameTable``. It takes four bytes, and a name of a device 40.
struct NumberOf<Kind>: Sendable, Hashable, Comparable {
    let value: UInt32

    init(_ value: UInt32) { self.value = value }

    var index: Int { Int(value) }

    static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

typealias DeviceNumber = NumberOf<DeviceRecord>
typealias GatewayNumber = NumberOf<Lease>
typealias CampaignNumber = NumberOf<CampaignPlan>

/// Names with numbers 0, 1, 2 … in the order in which they came. A name keeps its number.
///
/// The names stand one after another, so a million names of 20 bytes take 32 MiB: 20 MiB, 4 MiB for
/// their ends, and 8 MiB in which they are found.
struct NameTable<Kind>: Sendable {
    /// Offsets have 32 bits: 2²⁶ names of 64 bytes, 33 times as many as there may be devices.
    private static var countMax: Int { 1 << 26 }

    private var bytes: [UInt8] = []
    private var ends: [UInt32] = []
    /// One more than a number, or 0 where there is none. A name stands in the first free place
    /// after the one of its hash. At most half of them are taken.
    private var places = [UInt32](repeating: 0, count: 16)

    var count: Int { ends.count }
    var numbers: some Sequence<NumberOf<Kind>> {
        (0..<UInt32(count)).lazy.map { NumberOf($0) }
    }

    subscript(number: NumberOf<Kind>) -> Identifier<Kind> {
        let text = String(decoding: bytes[range(of: number.index)], as: UTF8.self)
        guard let name = Identifier<Kind>(text) else { preconditionFailure("no name: \(text)") }
        return name
    }

    /// The number of a name; `nil` if it has none.
    func number(of name: Identifier<Kind>) -> NumberOf<Kind>? {
        Self.withBytes(of: name) { name in
            let number = places[place(of: name)]
            return number == 0 ? nil : NumberOf(number - 1)
        }
    }

    /// The number of a name, which gets one if it has none.
    mutating func add(_ name: Identifier<Kind>) -> NumberOf<Kind> {
        if let number = number(of: name) { return number }
        precondition(count < Self.countMax, "too many names")
        if (count + 1) * 2 > places.count { grow() }
        let number = UInt32(count)
        Self.withBytes(of: name) { name in
            places[place(of: name)] = number + 1
            bytes.append(contentsOf: name)
        }
        ends.append(UInt32(bytes.count))
        return NumberOf(number)
    }

    private func range(of index: Int) -> Range<Int> {
        Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
    }

    /// Where a name stands, or would stand.
    private func place(of name: UnsafeBufferPointer<UInt8>) -> Int {
        var place = Self.hash(name) & (places.count - 1)
        while places[place] != 0 {
            let range = range(of: Int(places[place] - 1))
            if range.count == name.count, bytes[range].elementsEqual(name) { break }
            place = (place + 1) & (places.count - 1)
        }
        return place
    }

    private mutating func grow() {
        places = [UInt32](repeating: 0, count: places.count * 2)
        for index in ends.indices {
            bytes[range(of: index)].withUnsafeBufferPointer { name in
                var place = Self.hash(name) & (places.count - 1)
                while places[place] != 0 { place = (place + 1) & (places.count - 1) }
                places[place] = UInt32(index) + 1
            }
        }
    }

    /// Swift's own, which differs in each process, so that nobody can choose names that collide.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(name))
        return hasher.finalize()
    }

    private static func withBytes<Answer>(
        of name: Identifier<Kind>,
        _ body: (UnsafeBufferPointer<UInt8>) -> Answer
    ) -> Answer {
        var text = name.text
        return text.withUTF8(body)
    }
}
