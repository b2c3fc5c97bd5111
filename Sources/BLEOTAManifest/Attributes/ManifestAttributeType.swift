/// The type of a manifest attribute (spec/registry.md).
public struct ManifestAttributeType: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The number in the manifest.
    public let rawValue: UInt8

    /// Creates a type. Every 8-bit number is valid, but only some are assigned.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The file name of the image, UTF-8, 1 to 255 bytes.
    public static var name: ManifestAttributeType { ManifestAttributeType(rawValue: 0x01) }
    /// The version as the maker of the image writes it, UTF-8, 1 to 64 bytes.
    public static var version: ManifestAttributeType { ManifestAttributeType(rawValue: 0x02) }
    /// The address of the first byte in the device's memory, u64.
    public static var loadAddress: ManifestAttributeType { ManifestAttributeType(rawValue: 0x03) }
    /// The hashes of some blocks of the decoded image (spec/bleota.md, section 4.5).
    public static var sketch: ManifestAttributeType { ManifestAttributeType(rawValue: 0x04) }

    /// The hardware that the image is for: the lowest and the highest revision, u16 each, then
    /// the name as `vendor/hardware` in UTF-8, 3 to 64 bytes.
    public static var hardware: ManifestAttributeType { ManifestAttributeType(rawValue: 0x81) }
    /// The component of the device that the image is for, UTF-8, 1 to 64 bytes.
    public static var component: ManifestAttributeType { ManifestAttributeType(rawValue: 0x82) }
    /// The security counter, u32. A device accepts no image with a lower counter than its
    /// own.
    public static var counter: ManifestAttributeType { ManifestAttributeType(rawValue: 0x83) }
    /// The last second in which the image may be installed, in Unix time (seconds since
    /// 1970-01-01, UTC), u64.
    public static var expiry: ManifestAttributeType { ManifestAttributeType(rawValue: 0x84) }

    /// The encoding of the transferred image, 37 bytes (spec/bleota.md, section 4.5).
    public static var encoding: ManifestAttributeType { ManifestAttributeType(rawValue: 0x85) }
    /// The SHA-256 of the image to which a patch applies.
    public static var base: ManifestAttributeType { ManifestAttributeType(rawValue: 0x86) }
    /// The content key of a sealed image, sealed for each recipient (spec/bleota.md, section
    /// 4.6).
    public static var seal: ManifestAttributeType { ManifestAttributeType(rawValue: 0x87) }

    /// Whether a reader that does not recognize the type must refuse the manifest.
    public var mustBeUnderstood: Bool { rawValue & 0x80 != 0 }

    /// Whether this is one of the types above.
    public var isKnown: Bool { form != nil }

    /// The offset of the text at the end of the value, or `nil` if the type has none.
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

    /// The lengths of the shortest and the longest value.
    public var valueByteCounts: ClosedRange<Int> { form?.byteCounts ?? 0...255 }

    private var form: ManifestAttributeForm? { ManifestAttributeForm(of: self) }
}
