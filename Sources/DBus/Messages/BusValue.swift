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
    /// `s`; UTF-8 without NUL.
    case string(String)
    /// `o`
    case path(ObjectPath)
    /// `g`
    case signature(String)
    /// `h`; the receiver of a message owns the descriptor.
    case descriptor(BusDescriptor)
    /// `ay`
    case bytes([UInt8])
    /// `a…` of anything but bytes and dictionary entries; all elements have this signature.
    case array(of: String, [BusValue])
    /// `a{…}`: entries in the order in which they came; keys are basic types.
    case dictionary(of: String, [Entry])
    /// `(…)`
    case structure([BusValue])
    /// `v`
    case variant(BusValue)

    /// A key of a dictionary and its value.
    public struct Entry: Sendable, Hashable {
        /// A basic type.
        public let key: BusValue
        /// Anything.
        public let value: BusValue

        /// Makes an entry.
        public init(_ key: BusValue, _ value: BusValue) {
            self.key = key
            self.value = value
        }
    }
}

// MARK: - Shapes that are used all the time

extension BusValue {
    /// `a{sv}`: what D-Bus calls options or properties.
    public static func options(_ values: [String: BusValue]) -> BusValue {
        let entries = values.sorted { $0.key < $1.key }
            .map { Entry(.string($0.key), .variant($0.value)) }
        return .dictionary(of: "{sv}", entries)
    }

    /// `as`
    public static func strings(_ values: [String]) -> BusValue {
        .array(of: "s", values.map { .string($0) })
    }

    /// The text of a string, a path or a signature.
    public var text: String? {
        switch self {
        case .string(let text), .signature(let text): text
        case .path(let path): path.text
        case .variant(let value): value.text
        default: nil
        }
    }

    /// The bytes of `ay`.
    public var byteArray: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .variant(let value): value.byteArray
        default: nil
        }
    }

    /// The flag of `b`.
    public var flag: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .variant(let value): value.flag
        default: nil
        }
    }

    /// The number of any integer type that fits.
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

    /// The object path of `o`.
    public var objectPath: ObjectPath? {
        switch self {
        case .path(let path): path
        case .variant(let value): value.objectPath
        default: nil
        }
    }

    /// The elements of an array or a structure.
    public var elements: [BusValue]? {
        switch self {
        case .array(_, let elements), .structure(let elements): elements
        case .bytes(let bytes): bytes.map { .byte($0) }
        case .variant(let value): value.elements
        default: nil
        }
    }

    /// The texts of `as` or `ao`; elements of other types are left out.
    public var texts: [String]? { elements?.compactMap(\.text) }

    /// The entries of a dictionary.
    public var entries: [Entry]? {
        switch self {
        case .dictionary(_, let entries): entries
        case .variant(let value): value.entries
        default: nil
        }
    }

    /// The properties of `a{sv}`, out of their variants; of two with one name the last stays.
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

    /// The descriptor of `h`.
    public var fileDescriptor: BusDescriptor? {
        switch self {
        case .descriptor(let descriptor): descriptor
        case .variant(let value): value.fileDescriptor
        default: nil
        }
    }

    /// The signature of this value.
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
