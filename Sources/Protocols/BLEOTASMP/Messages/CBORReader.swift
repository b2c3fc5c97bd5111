import CCBOR

/// Reads one CBOR value with libcbor's streaming decoder, which allocates no memory.
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

    private mutating func item() throws(Malformed) -> Item {
        itemCount += 1
        if itemCount > Self.itemCountMax { throw Malformed() }
        var item: Item?
        let read = bytes[position...].withUnsafeBytes { buffer -> Int? in
            guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return nil }
            let result = withUnsafeMutablePointer(to: &item) { item in
                withUnsafePointer(to: Self.callbacks) { callbacks in
                    cbor_stream_decode(start, buffer.count, callbacks, item)
                }
            }
            return result.status == CBOR_DECODER_FINISHED ? Int(result.read) : nil
        }
        guard let read, let item else { throw Malformed() }
        position += read
        return item
    }

    /// The functions that libcbor calls for the kinds of items: each stores one ``Item``.
    private static let callbacks: cbor_callbacks = {
        func store(_ item: Item, in context: UnsafeMutableRawPointer?) {
            context?.assumingMemoryBound(to: Item?.self).pointee = item
        }
        var calls = cbor_empty_callbacks
        calls.uint8 = { store(.value(.integer(Int64($1))), in: $0) }
        calls.uint16 = { store(.value(.integer(Int64($1))), in: $0) }
        calls.uint32 = { store(.value(.integer(Int64($1))), in: $0) }
        calls.uint64 = { store(.value(Int64(exactly: $1).map { .integer($0) } ?? .other), in: $0) }
        // A negative number is −1 minus the argument that encodes it.
        calls.negint8 = { store(.value(.integer(-1 - Int64($1))), in: $0) }
        calls.negint16 = { store(.value(.integer(-1 - Int64($1))), in: $0) }
        calls.negint32 = { store(.value(.integer(-1 - Int64($1))), in: $0) }
        calls.negint64 = {
            store(.value(Int64(exactly: $1).map { .integer(-1 - $0) } ?? .other), in: $0)
        }
        calls.byte_string = {
            store(.value(.bytes(Array(UnsafeBufferPointer(start: $1, count: Int($2))))), in: $0)
        }
        calls.string = {
            let bytes = UnsafeBufferPointer(start: $1, count: Int($2))
            store(.value(.text(String(decoding: bytes, as: UTF8.self))), in: $0)
        }
        calls.byte_string_start = { store(.pieces, in: $0) }
        calls.string_start = { store(.pieces, in: $0) }
        calls.array_start = { store(.array(count: Int(clamping: $1)), in: $0) }
        calls.indef_array_start = { store(.array(count: nil), in: $0) }
        calls.map_start = { store(.map(count: Int(clamping: $1)), in: $0) }
        calls.indef_map_start = { store(.map(count: nil), in: $0) }
        calls.indef_break = { store(.end, in: $0) }
        calls.tag = { context, _ in store(.tag, in: context) }
        calls.boolean = { store(.value(.boolean($1)), in: $0) }
        calls.null = { store(.value(.other), in: $0) }
        calls.undefined = { store(.value(.other), in: $0) }
        calls.float2 = { context, _ in store(.value(.other), in: context) }
        calls.float4 = { context, _ in store(.value(.other), in: context) }
        calls.float8 = { context, _ in store(.value(.other), in: context) }
        return calls
    }()
}
