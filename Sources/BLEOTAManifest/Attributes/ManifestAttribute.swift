import BLEOTAWire

/// One attribute of a manifest: its type and the position of its value.
public struct ManifestAttribute: Hashable, Sendable, BitwiseCopyable {
    /// The type of the attribute.
    public let type: ManifestAttributeType
    /// The offset of the attribute in the manifest.
    public let byteOffset: Int
    /// The length of the value, 0 to 255 bytes.
    public let valueByteCount: Int

    /// The byte range of the value in the manifest.
    public var value: Range<Int> {
        // A manifest is at most 32 MiB long, so the sum of an offset and a length never
        // overflows.
        let start = byteOffset &+ ManifestLayout.attributeValue
        return Range(uncheckedBounds: (start, start &+ valueByteCount))
    }

    /// The byte range of the text at the end of the value, or `nil` if the type has none.
    public var text: Range<Int>? {
        type.textOffset.map { value.lowerBound + $0..<value.upperBound }
    }
}

extension RawSpan {
    /// Returns the byte range of the attribute value that begins at `start`. The byte before it
    /// contains its length. The caller has checked that the value is in bounds.
    package func value(at start: Int) -> Range<Int> {
        let byteCount = number(uncheckedAt: start &- 1, as: UInt8.self)
        return Range(uncheckedBounds: (start, start &+ Int(byteCount)))
    }
}
