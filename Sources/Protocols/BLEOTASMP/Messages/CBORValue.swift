/// A value in CBOR (RFC 8949), as far as SMP uses it. Values of other types are read as ``other``.
package enum CBORValue: Sendable, Hashable {
    /// An integer from −2⁶³ to 2⁶³ − 1. A number outside of this range is read as ``other``.
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([CBORPair])
    case boolean(Bool)
    /// A number with a fraction, null, or anything else that SMP does not use.
    case other

    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    package var bytes: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    package var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    package var elements: [CBORValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The value of a key in a map; `nil` if there is none, or if this is not a map.
    package subscript(key: String) -> CBORValue? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key == .text(key) }?.value
    }
}

/// A key of a map with its value.
package struct CBORPair: Sendable, Hashable {
    package let key: CBORValue
    package let value: CBORValue

    package init(_ key: String, _ value: CBORValue) {
        self.init(key: .text(key), value: value)
    }

    package init(key: CBORValue, value: CBORValue) {
        self.key = key
        self.value = value
    }
}
