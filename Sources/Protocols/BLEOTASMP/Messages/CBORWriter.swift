import CCBOR

/// Writes CBOR with libcbor's streaming encoders.
struct CBORWriter {
    /// The maximum length of an item's type and argument, encoded.
    private static let headByteCountMax = 9

    private(set) var bytes: [UInt8] = []

    init() {}

    init(reserving byteCount: Int) { bytes.reserveCapacity(byteCount) }

    mutating func write(_ value: CBORValue) {
        switch value {
        case .integer(let value) where value >= 0:
            head { cbor_encode_uint(UInt64(value), $0, $1) }
        case .integer(let value):
            head { cbor_encode_negint(UInt64(-1 - value), $0, $1) }
        case .bytes(let value): write(bytes: value[...])
        case .text(let value): write(text: value)
        case .array(let elements):
            head { cbor_encode_array_start(.init(elements.count), $0, $1) }
            for element in elements { write(element) }
        case .map(let pairs):
            writeMap(count: pairs.count)
            for pair in pairs {
                write(pair.key)
                write(pair.value)
            }
        case .boolean(let value): head { cbor_encode_bool(value, $0, $1) }
        case .other: head { cbor_encode_null($0, $1) }
        }
    }

    /// Begins a map of this many pairs, which follow as separate keys and values.
    mutating func writeMap(count: Int) {
        head { cbor_encode_map_start(.init(count), $0, $1) }
    }

    mutating func write(text: String) {
        let utf8 = Array(text.utf8)
        head { cbor_encode_string_start(utf8.count, $0, $1) }
        bytes += utf8
    }

    mutating func write(bytes value: ArraySlice<UInt8>) {
        head { cbor_encode_bytestring_start(value.count, $0, $1) }
        bytes += value
    }

    private mutating func head(_ encode: (UnsafeMutablePointer<UInt8>, Int) -> Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.headByteCountMax) { buffer in
            guard let start = buffer.baseAddress else { return }
            let byteCount = encode(start, buffer.count)
            precondition(byteCount > 0, "an item's head has at most 9 bytes")
            bytes += buffer[..<byteCount]
        }
    }
}
