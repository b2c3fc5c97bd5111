/// Reads what ``CBORWriter`` writes, and nothing else. Nothing is allocated for a length before the
/// bytes are there, and only what the caller asks for is nested.
struct CBORReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func number() throws(CodecError) -> UInt64 { try head(0) }

    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type
    ) throws(CodecError) -> Number {
        guard let number = Number(exactly: try number()) else { throw .outOfRange }
        return number
    }

    mutating func signed() throws(CodecError) -> Int64 {
        let isNegative = rest.first.map { $0 >> 5 == 1 } ?? false
        guard let number = Int64(exactly: try head(isNegative ? 1 : 0)) else { throw .outOfRange }
        return isNegative ? -1 - number : number
    }

    mutating func bytes() throws(CodecError) -> [UInt8] { Array(try take(try head(2))) }

    mutating func text() throws(CodecError) -> String {
        let bytes = try take(try head(3))
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .unexpected }
        return text
    }

    /// Begins an array of exactly so many items.
    mutating func array(_ count: Int) throws(CodecError) {
        guard try head(4) == UInt64(count) else { throw .unexpected }
    }

    /// Begins an array, and returns the number of its items.
    mutating func array(max: Int) throws(CodecError) -> Int {
        let count = try head(4)
        guard count <= UInt64(max) else { throw .outOfRange }
        return Int(count)
    }

    /// Whether null follows, which is then read.
    mutating func isNull() -> Bool {
        guard rest.first == 0xF6 else { return false }
        rest.removeFirst()
        return true
    }

    func end() throws(CodecError) { if !rest.isEmpty { throw .tooLong } }

    private mutating func head(_ type: UInt8) throws(CodecError) -> UInt64 {
        guard let first = rest.first else { throw .truncated }
        guard first >> 5 == type else { throw .unexpected }
        rest.removeFirst()
        let short = first & 31
        if short < 24 { return UInt64(short) }
        guard short < 28 else { throw .unexpected }
        let byteCount = 1 << Int(short - 24)
        let number = try take(UInt64(byteCount)).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // The shorter form would do.
        let least: UInt64 = byteCount == 1 ? 24 : 1 << UInt64(byteCount * 4)
        guard number >= least else { throw .unexpected }
        return number
    }

    private mutating func take(_ count: UInt64) throws(CodecError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw .truncated }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
