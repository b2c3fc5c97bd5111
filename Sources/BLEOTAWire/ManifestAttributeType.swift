/// What an attribute of a manifest says (spec/registry.md).
public struct ManifestAttributeType: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The number in the manifest.
    public let rawValue: UInt8

    /// Any 8-bit number is a type; only some are assigned.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The file name of the image, UTF-8, 1 to 255 bytes.
    public static var name: ManifestAttributeType { ManifestAttributeType(rawValue: 0x01) }
    /// The version as the maker writes it, UTF-8, 1 to 64 bytes.
    public static var version: ManifestAttributeType { ManifestAttributeType(rawValue: 0x02) }
    /// Where the first byte belongs in the device's memory, u64.
    public static var loadAddress: ManifestAttributeType { ManifestAttributeType(rawValue: 0x03) }

    /// Whether who does not know the type must refuse the manifest.
    public var mustBeUnderstood: Bool { rawValue & 0x80 != 0 }

    /// Whether the type is one of those above.
    public var isKnown: Bool { Self.name.rawValue...Self.loadAddress.rawValue ~= rawValue }

    /// Whether the value is a text.
    public var isText: Bool { self == .name || self == .version }

    /// The lengths that a value can have.
    public var valueByteCounts: ClosedRange<Int> {
        switch self {
        case .name: 1...255
        case .version: 1...64
        case .loadAddress: 8...8
        default: 0...255
        }
    }
}
