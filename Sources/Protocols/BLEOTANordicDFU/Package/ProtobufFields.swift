/// The fields of a Protocol Buffers message by their numbers; the values of each field keep their
/// order. Source: Protocol Buffers, "Encoding".
struct ProtobufFields {
    enum Value: Hashable {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// A fixed-size value of 32 or 64 bits, which no init packet has.
        case other
    }

    private var values: [UInt64: [Value]] = [:]

    /// - Returns: `nil` if the bytes are not a message.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            guard let key = Self.takeNumber(&rest), let value = Self.take(key & 7, &rest) else {
                return nil
            }
            values[key >> 3, default: []].append(value)
        }
    }

    /// The last value of a varint field.
    func number(_ field: UInt64) -> UInt64? {
        guard case .number(let number)? = values[field]?.last else { return nil }
        return number
    }

    /// The last value of a field of bytes.
    func bytes(_ field: UInt64) -> ArraySlice<UInt8>? {
        guard case .bytes(let bytes)? = values[field]?.last else { return nil }
        return bytes
    }

    /// The last value of a field that is a message itself.
    func message(_ field: UInt64) -> ProtobufFields? { bytes(field).flatMap(ProtobufFields.init) }

    private static func take(_ wireType: UInt64, _ rest: inout ArraySlice<UInt8>) -> Value? {
        switch wireType {
        case 0: return takeNumber(&rest).map(Value.number)
        case 1: return takeBytes(8, &rest).map { _ in .other }
        case 2: return takeNumber(&rest).flatMap { takeBytes($0, &rest) }.map(Value.bytes)
        case 5: return takeBytes(4, &rest).map { _ in .other }
        default: return nil
        }
    }

    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        // Ten groups of seven bits hold any 64-bit number.
        for shift in stride(from: 0, to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return number }
        }
        return nil
    }

    private static func takeBytes(
        _ count: UInt64,
        _ rest: inout ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
