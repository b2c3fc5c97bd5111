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
    /// Some hashes of blocks of the image that is encoded (spec/bleota.md, section 4.5).
    public static var sketch: ManifestAttributeType { ManifestAttributeType(rawValue: 0x04) }

    /// Which hardware the image is for: the lowest and the highest revision, u16 each, then its
    /// name as `vendor/hardware`, UTF-8, 3 to 64 bytes.
    public static var hardware: ManifestAttributeType { ManifestAttributeType(rawValue: 0x81) }
    /// Which of several parts of a device the image is for, UTF-8, 1 to 64 bytes.
    public static var component: ManifestAttributeType { ManifestAttributeType(rawValue: 0x82) }
    /// The security counter, u32: a device takes none below its own.
    public static var counter: ManifestAttributeType { ManifestAttributeType(rawValue: 0x83) }
    /// After which second since the beginning of 1970 (UTC) nobody shall install it any more, u64.
    public static var expiry: ManifestAttributeType { ManifestAttributeType(rawValue: 0x84) }

    /// What the image becomes that travels, 37 bytes (spec/bleota.md, section 4.5).
    public static var encoding: ManifestAttributeType { ManifestAttributeType(rawValue: 0x85) }
    /// The SHA-256 of the image that a patch is against.
    public static var base: ManifestAttributeType { ManifestAttributeType(rawValue: 0x86) }
    /// For whom the image is sealed (spec/bleota.md, section 4.6).
    public static var seal: ManifestAttributeType { ManifestAttributeType(rawValue: 0x87) }

    /// Whether who does not know the type must refuse the manifest.
    public var mustBeUnderstood: Bool { rawValue & 0x80 != 0 }

    /// Whether the type is one of those above.
    public var isKnown: Bool { form != nil }

    /// Where in the value a text begins, which goes on to its end; `nil` where there is none.
    public var textOffset: Int? {
        switch form?.content {
        case .text, .name, .hardware: form?.content.textOffset
        default: nil
        }
    }

    /// Whether a value can have this length.
    public func canHaveValue(byteCount: Int) -> Bool {
        form?.allows(byteCount: byteCount) ?? (0...255 ~= byteCount)
    }

    /// The shortest and the longest value.
    public var valueByteCounts: ClosedRange<Int> { form?.byteCounts ?? 0...255 }

    private var form: ManifestAttributeForm? { ManifestAttributeForm(of: self) }
}
