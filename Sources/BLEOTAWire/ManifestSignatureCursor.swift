/// Goes through the signatures of a manifest. It does not verify them.
///
/// ```swift
/// var cursor = fields.signatureCursor
/// while let signature = cursor.next(in: manifest) { … }
/// ```
public struct ManifestSignatureCursor: Sendable {
    /// Where the next signature begins.
    private(set) var byteOffset: Int
    private let end: Int

    /// A cursor before the first signature of those that fill `range`.
    init(range: Range<Int>) {
        byteOffset = range.lowerBound
        end = range.upperBound
    }

    /// Whether nothing is left, not even what is no signature.
    var isAtEnd: Bool { byteOffset == end }

    /// The next signature, also one of an unknown algorithm; `nil` after the last.
    ///
    /// - Parameter manifest: the whole manifest, the same with each call.
    @inline(never)
    public mutating func next(in manifest: RawSpan) -> ManifestSignature? {
        // A manifest has 32 MiB at most, so that no sum of an offset and a length wraps.
        let valueStart = byteOffset &+ ManifestLayout.signatureValue
        guard valueStart <= end else { return nil }
        let head = manifest.extracting(Range(uncheckedBounds: (byteOffset, valueStart)))
        let valueByteCount = Int(head.uint16(at: ManifestLayout.signatureValueByteCount))
        guard head.byte(at: ManifestLayout.reservedInSignature) == 0,
            valueByteCount <= end &- valueStart
        else { return nil }
        let valueEnd = valueStart &+ valueByteCount
        let signature = ManifestSignature(
            algorithm: SignatureAlgorithm(
                rawValue: head.byte(at: ManifestLayout.signatureAlgorithm)
            ),
            keyID: KeyID(rawValue: head.uint64(at: ManifestLayout.signatureKeyID)),
            value: Range(uncheckedBounds: (valueStart, valueEnd))
        )
        byteOffset = valueEnd
        return signature
    }
}
