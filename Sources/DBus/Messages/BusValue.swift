/// A value of the D-Bus type system.
///
/// ```swift
/// let options: BusValue = .options(["type": .string("command")])
/// let name = properties["Alias"]?.text
/// ```
public indirect enum BusValue: Sendable, Hashable {
    /// `y`
    case byte(UInt8)
    /// `b`
    case boolean(Bool)
    /// `n`
    case int16(Int16)
    /// `q`
    case uint16(UInt16)
    /// `i`
    case int32(Int32)
    /// `u`
    case uint32(UInt32)
    /// `x`
    case int64(Int64)
    /// `t`
    case uint64(UInt64)
    /// `d`
    case double(Double)
    /// `s`: UTF-8 without NUL.
    case string(String)
    /// `o`
    case path(ObjectPath)
    /// `g`
    case signature(String)
    /// `h`: a file descriptor, which the receiver of a message owns.
    case descriptor(BusDescriptor)
    /// `ay`
    case bytes([UInt8])
    /// `a…`: an array of elements with this signature, other than bytes or dictionary entries.
    case array(of: String, [BusValue])
    /// `a{…}`: a dictionary whose keys have a basic type, with its entries in the order of the
    /// message.
    case dictionary(of: String, [Entry])
    /// `(…)`
    case structure([BusValue])
    /// `v`
    case variant(BusValue)

    /// A key of a dictionary and its value.
    public struct Entry: Sendable, Hashable {
        /// The key, of a basic type.
        public let key: BusValue
        /// The value, of any type.
        public let value: BusValue

        /// Creates an entry.
        public init(_ key: BusValue, _ value: BusValue) {
            self.key = key
            self.value = value
        }
    }
}

// MARK: - Common types

extension BusValue {
    /// `a{sv}`: options or properties, whose values are variants.
    public static func options(_ values: [String: BusValue]) -> BusValue {
        let entries = values.sorted { $0.key < $1.key }
            .map { Entry(.string($0.key), .variant($0.value)) }
        return .dictionary(of: "{sv}", entries)
    }

    /// `as`: an array of strings.
    public static func strings(_ values: [String]) -> BusValue {
        .array(of: "s", values.map { .string($0) })
    }

    /// The text of a string, a path or a signature; `nil` for other types.
    public var text: String? {
        switch self {
        case .string(let text), .signature(let text): text
        case .path(let path): path.text
        case .variant(let value): value.text
        default: nil
        }
    }

    /// The bytes of `ay`; `nil` for other types.
    public var byteArray: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .variant(let value): value.byteArray
        default: nil
        }
    }

    /// The value of `b`; `nil` for other types.
    public var flag: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .variant(let value): value.flag
        default: nil
        }
    }

    /// The value of any integer type; `nil` for other types, or if it does not fit in `Int`.
    public var integer: Int? {
        switch self {
        case .byte(let number): Int(number)
        case .int16(let number): Int(number)
        case .uint16(let number): Int(number)
        case .int32(let number): Int(number)
        case .uint32(let number): Int(number)
        case .int64(let number): Int(exactly: number)
        case .uint64(let number): Int(exactly: number)
        case .variant(let value): value.integer
        default: nil
        }
    }

    /// The path of `o`; `nil` for other types.
    public var objectPath: ObjectPath? {
        switch self {
        case .path(let path): path
        case .variant(let value): value.objectPath
        default: nil
        }
    }

    /// The elements of an array or a structure; `nil` for other types.
    public var elements: [BusValue]? {
        switch self {
        case .array(_, let elements), .structure(let elements): elements
        case .bytes(let bytes): bytes.map { .byte($0) }
        case .variant(let value): value.elements
        default: nil
        }
    }

    /// The strings of `as` or `ao`, without elements of other types; `nil` if this is not an
    /// array.
    public var texts: [String]? { elements?.compactMap(\.text) }

    /// The entries of a dictionary; `nil` for other types.
    public var entries: [Entry]? {
        switch self {
        case .dictionary(_, let entries): entries
        case .variant(let value): value.entries
        default: nil
        }
    }

    /// The properties in an `a{sv}`, each value unwrapped from its variant; `nil` for other types.
    /// If a name occurs more than once, its last value counts.
    public var properties: [String: BusValue]? {
        guard let entries else { return nil }
        var properties: [String: BusValue] = [:]
        for entry in entries {
            guard let name = entry.key.text else { continue }
            properties[name] = entry.value.unwrapped
        }
        return properties
    }

    /// The value inside a variant, or the value itself.
    public var unwrapped: BusValue {
        if case .variant(let value) = self { value.unwrapped } else { self }
    }

    /// The descriptor of `h`; `nil` for other types.
    public var fileDescriptor: BusDescriptor? {
        switch self {
        case .descriptor(let descriptor): descriptor
        case .variant(let value): value.fileDescriptor
        default: nil
        }
    }

    /// The D-Bus type signature of this value.
    public var typeSignature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let entry, _): "a" + entry
        case .structure(let fields): "(" + fields.map(\.typeSignature).joined() + ")"
        case .variant: "v"
        }
    }
}
