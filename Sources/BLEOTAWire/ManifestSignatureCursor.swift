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
    public mutating func next(in manifest: RawSpan) -> ManifestSignature? {
        // A manifest has 32 MiB at most, so that no sum of an offset and a length wraps.
        let valueStart = byteOffset &+ ManifestLayout.signatureValue
        guard valueStart <= end,
            manifest.byte(at: byteOffset &+ ManifestLayout.reservedInSignature) == 0
        else { return nil }
        let valueByteCount = manifest.uint16(
            at: byteOffset &+ ManifestLayout.signatureValueByteCount
        )
        let valueEnd = valueStart &+ Int(valueByteCount)
        guard valueEnd <= end else { return nil }
        let signature = ManifestSignature(
            algorithm: SignatureAlgorithm(
                rawValue: manifest.byte(at: byteOffset &+ ManifestLayout.signatureAlgorithm)
            ),
            keyID: KeyID(
                rawValue: manifest.uint64(at: byteOffset &+ ManifestLayout.signatureKeyID)
            ),
            value: Range(uncheckedBounds: (valueStart, valueEnd))
        )
        byteOffset = valueEnd
        return signature
    }
}
