import BLEOTAWire

/// Iterates over the signatures of a manifest up to the first one that breaks a rule. The
/// cursor does not verify the signatures.
///
/// ```swift
/// var cursor = fields.signatureCursor
/// while let signature = cursor.next(in: manifest) { … }
/// ```
public struct ManifestSignatureCursor: Sendable {
    /// The offset of the next signature.
    private(set) var byteOffset: Int
    private let end: Int
    /// The offset of the previous signature, or 0 before the first. No signature can be at 0.
    private var last = 0

    /// Creates a cursor at the first of the signatures that fill `range`.
    init(range: Range<Int>) {
        byteOffset = range.lowerBound
        end = range.upperBound
    }

    /// Returns the next signature, even if its algorithm is unknown, or `nil` after the last
    /// one.
    ///
    /// - Parameter manifest: the whole manifest, the same in every call.
    public mutating func next(in manifest: RawSpan) -> ManifestSignature? {
        precondition(end <= manifest.byteCount)
        var ahead = self
        guard let signature = try? ahead.checkedNext(in: manifest) else { return nil }
        self = ahead
        return signature
    }

    //= MAN-6: The signatures MUST fill their space exactly. They MUST be sorted by ascending
    //= algorithm, and then by ascending key id, without duplicate pairs.
    /// Does the same as ``next(in:)`` for a manifest that may break the rules for signatures.
    ///
    /// Always inlined, so that a caller that ignores the kind of violation needs no code for
    /// it.
    ///
    /// - Parameter manifest: a manifest that contains all of its signatures.
    /// - Throws: the rule that the next signature breaks.
    @inline(__always)
    package mutating func checkedNext(
        in manifest: RawSpan
    ) throws(ManifestError) -> ManifestSignature? {
        let start = byteOffset
        if start == end { return nil }
        // A manifest is at most 32 MiB long, so the sum of an offset and a length never
        // overflows.
        let valueStart = start &+ ManifestLayout.signatureValue
        guard valueStart <= end else { throw .signatureCutShort(byteOffset: start) }
        // SAFETY: the twelve bytes before the value are in bounds, as are those of the previous
        // signature.
        let algorithm = algorithm(at: start, in: manifest)
        guard algorithm <= UInt8.max else {
            throw .reservedNotZero(byteOffset: start &+ ManifestLayout.reservedInSignature)
        }
        let valueByteCount = manifest.number(
            uncheckedAt: start &+ ManifestLayout.signatureValueByteCount,
            as: UInt16.self
        )
        byteOffset = valueStart &+ Int(valueByteCount)
        guard byteOffset <= end else { throw .signatureCutShort(byteOffset: start) }
        let keyID = keyID(at: start, in: manifest)
        if last != 0 {
            let lastAlgorithm = self.algorithm(at: last, in: manifest)
            guard
                lastAlgorithm < algorithm
                    || lastAlgorithm == algorithm && self.keyID(at: last, in: manifest) < keyID
            else { throw .signatureOutOfOrder(byteOffset: start) }
        }
        last = start
        let signature = ManifestSignature(
            algorithm: SignatureAlgorithm(rawValue: UInt8(truncatingIfNeeded: algorithm)),
            keyID: KeyID(rawValue: keyID),
            value: Range(uncheckedBounds: (valueStart, byteOffset))
        )
        //= MAN-7: A signature of a known algorithm MUST have the length that the registry gives.
        if let byteCount = signature.algorithm.valueByteCount, byteCount != Int(valueByteCount) {
            throw .signatureLengthOutOfRange(signature.algorithm, byteOffset: start)
        }
        return signature
    }

    /// Returns the algorithm in the low byte and the reserved byte in the high byte.
    private func algorithm(at start: Int, in manifest: RawSpan) -> UInt16 {
        manifest.number(uncheckedAt: start &+ ManifestLayout.signatureAlgorithm, as: UInt16.self)
    }

    private func keyID(at start: Int, in manifest: RawSpan) -> UInt64 {
        manifest.number(uncheckedAt: start &+ ManifestLayout.signatureKeyID, as: UInt64.self)
    }
}
