/// Writes CBOR (RFC 8949), each item in its shortest encoding.
struct CBORWriter {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

    mutating func write(_ value: CBORValue) {
        switch value {
        case .integer(let value) where value >= 0:
            head(.unsigned, UInt64(value))
        case .integer(let value):
            head(.negative, UInt64(-1 - value))
        case .bytes(let value): write(bytes: value[...])
        case .text(let value): write(text: value)
        case .array(let elements):
            head(.array, UInt64(elements.count))
            for element in elements { write(element) }
        case .map(let pairs):
            writeMap(count: pairs.count)
            for pair in pairs {
                write(pair.key)
                write(pair.value)
            }
        case .boolean(let value): head(.simple, value ? 21 : 20)
        case .other: head(.simple, 22)
        }
    }

    /// Begins a map of this many pairs, which follow as separate keys and values.
    mutating func writeMap(count: Int) {
        head(.map, UInt64(count))
    }

    mutating func write(text: String) {
        let utf8 = Array(text.utf8)
        head(.text, UInt64(utf8.count))
        bytes += utf8
    }

    mutating func write(bytes value: ArraySlice<UInt8>) {
        head(.bytes, UInt64(value.count))
        bytes += value
    }

    /// Writes the type of an item, and its argument in as few bytes as it takes.
    private mutating func head(_ major: CBORMajorType, _ argument: UInt64) {
        let detail: UInt8
        let byteCount: Int
        switch argument {
        case ..<24: (detail, byteCount) = (UInt8(argument), 0)
        case ...0xFF: (detail, byteCount) = (24, 1)
        case ...0xFFFF: (detail, byteCount) = (25, 2)
        case ...0xFFFF_FFFF: (detail, byteCount) = (26, 4)
        default: (detail, byteCount) = (27, 8)
        }
        bytes.append(major.rawValue << 5 | detail)
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: argument >> (8 * index)))
        }
    }
}
