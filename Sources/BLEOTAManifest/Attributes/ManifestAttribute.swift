import BLEOTAWire

/// One attribute of a manifest: what it says and where its value stands.
public struct ManifestAttribute: Hashable, Sendable, BitwiseCopyable {
    /// What the attribute says.
    public let type: ManifestAttributeType
    /// Where the attribute begins in the manifest.
    public let byteOffset: Int
    /// How long its value is, 0 to 255 bytes.
    public let valueByteCount: Int

    /// Where the value stands in the manifest.
    public var value: Range<Int> {
        // A manifest has 32 MiB at most, so that no sum of an offset and a length wraps.
        let start = byteOffset &+ ManifestLayout.attributeValue
        return Range(uncheckedBounds: (start, start &+ valueByteCount))
    }

    /// Where a text stands in the manifest that ends the value; `nil` if its type has none.
    public var text: Range<Int>? {
        type.textOffset.map { value.lowerBound + $0..<value.upperBound }
    }
}

extension RawSpan {
    /// Where the value of an attribute is that begins at `start`, which has been seen to be inside:
    /// its length is before it.
    package func value(at start: Int) -> Range<Int> {
        let byteCount = number(uncheckedAt: start &- 1, as: UInt8.self)
        return Range(uncheckedBounds: (start, start &+ Int(byteCount)))
    }
}
