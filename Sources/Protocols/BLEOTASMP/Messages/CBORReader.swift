/// Reads one CBOR value (RFC 8949).
struct CBORReader: ~Copyable {
    /// The bytes are not well-formed CBOR, or exceed a limit.
    struct Malformed: Error, Hashable {}

    /// The maximum depth of a value. SMP's deepest message, an image list, has 4 levels.
    private static let depthMax = 8
    /// The maximum number of items. An image list of 16 images with 2 slots each has fewer than 500
    /// items.
    private static let itemCountMax = 4_096

    /// One item of the encoding.
    private enum Item {
        case value(CBORValue)
        /// The length is `nil` for an array that ends with ``end``.
        case array(count: Int?)
        case map(count: Int?)
        /// The beginning of an indefinite-length string, whose pieces follow.
        case pieces
        case end
        /// A tag, which says something about the next item.
        case tag
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var itemCount = 0

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Reads the value at the beginning of `bytes`. Bytes after it are ignored.
    static func read(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> CBORValue {
        var reader = CBORReader(bytes)
        return try reader.value(depth: 0)
    }

    private mutating func value(depth: Int) throws(Malformed) -> CBORValue {
        try value(of: try item(), depth: depth)
    }

    private mutating func value(of item: Item, depth: Int) throws(Malformed) -> CBORValue {
        if depth > Self.depthMax { throw Malformed() }
        switch item {
        case .value(let value): return value
        case .tag: return try value(depth: depth + 1)
        case .end: throw Malformed()
        case .pieces: return try pieces()
        case .array(let count):
            var elements: [CBORValue] = []
            try forEachItem(count: count) { (reader, item) throws(Malformed) in
                elements.append(try reader.value(of: item, depth: depth + 1))
            }
            return .array(elements)
        case .map(let count):
            var pairs: [CBORPair] = []
            try forEachItem(count: count) { (reader, item) throws(Malformed) in
                let key = try reader.value(of: item, depth: depth + 1)
                pairs.append(CBORPair(key: key, value: try reader.value(depth: depth + 1)))
            }
            return .map(pairs)
        }
    }

    /// Calls `body` with the first item of each element, up to `count` or to the end.
    private mutating func forEachItem(
        count: Int?,
        _ body: (inout CBORReader, Item) throws(Malformed) -> Void
    ) throws(Malformed) {
        var left = count
        while left != 0 {
            let item = try item()
            if left == nil, case .end = item { return }
            try body(&self, item)
            left = left.map { $0 - 1 }
        }
    }

    /// Joins the pieces of a string.
    private mutating func pieces() throws(Malformed) -> CBORValue {
        var bytes: [UInt8] = []
        var text: String?
        while true {
            switch try item() {
            case .end: return text.map { .text($0) } ?? .bytes(bytes)
            case .value(.bytes(let piece)): bytes += piece
            case .value(.text(let piece)): text = (text ?? "") + piece
            default: throw Malformed()
            }
        }
    }

    /// Reads one item: its head and, if it is a string, its bytes.
    private mutating func item() throws(Malformed) -> Item {
        itemCount += 1
        if itemCount > Self.itemCountMax { throw Malformed() }
        let initial = try integer(byteCount: 1)
        guard let major = CBORMajorType(rawValue: UInt8(initial >> 5)) else { throw Malformed() }
        let detail = Int(initial & 0x1F)
        if detail == CBORMajorType.indefinite { return try indefinite(major) }
        // 28 to 30 are reserved.
        if detail > 27 { throw Malformed() }
        // 24 to 27 stand for an argument of 1, 2, 4 or 8 bytes, which follows.
        let argument = detail < 24 ? UInt64(detail) : try integer(byteCount: 1 << (detail - 24))
        switch major {
        case .unsigned: return .value(Int64(exactly: argument).map { .integer($0) } ?? .other)
        // A negative number is −1 minus the argument that encodes it.
        case .negative: return .value(Int64(exactly: argument).map { .integer(-1 - $0) } ?? .other)
        case .bytes: return .value(.bytes(Array(try string(byteCount: argument))))
        case .text:
            let utf8 = try string(byteCount: argument)
            return .value(.text(String(decoding: utf8, as: UTF8.self)))
        case .array: return .array(count: Int(clamping: argument))
        case .map: return .map(count: Int(clamping: argument))
        case .tag: return .tag
        case .simple: return try simple(detail)
        }
    }

    private func indefinite(_ major: CBORMajorType) throws(Malformed) -> Item {
        switch major {
        case .bytes, .text: .pieces
        case .array: .array(count: nil)
        case .map: .map(count: nil)
        case .simple: .end
        case .unsigned, .negative, .tag: throw Malformed()
        }
    }

    private func simple(_ detail: Int) throws(Malformed) -> Item {
        switch detail {
        case 20: .value(.boolean(false))
        case 21: .value(.boolean(true))
        // Null, undefined, and floating-point numbers of 2, 4 and 8 bytes.
        case 22, 23, 25...27: .value(.other)
        default: throw Malformed()
        }
    }

    /// Reads a big-endian number.
    private mutating func integer(byteCount: Int) throws(Malformed) -> UInt64 {
        try string(byteCount: UInt64(byteCount)).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func string(byteCount: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard byteCount <= UInt64(bytes.endIndex - position) else { throw Malformed() }
        defer { position += Int(byteCount) }
        return bytes[position..<position + Int(byteCount)]
    }
}
