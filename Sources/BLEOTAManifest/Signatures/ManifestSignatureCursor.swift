import BLEOTAWire

/// Goes through the signatures of a manifest, as far as they keep the rules. It does not verify
/// them.
///
/// ```swift
/// var cursor = fields.signatureCursor
/// while let signature = cursor.next(in: manifest) { … }
/// ```
public struct ManifestSignatureCursor: Sendable {
    /// Where the next signature begins.
    private(set) var byteOffset: Int
    private let end: Int
    /// Where the one before begins; 0, where none can be, before there is one.
    private var last = 0

    /// A cursor before the first signature of those that fill `range`.
    init(range: Range<Int>) {
        byteOffset = range.lowerBound
        end = range.upperBound
    }

    /// The next signature, also one of an unknown algorithm; `nil` after the last.
    ///
    /// - Parameter manifest: the whole manifest, the same with each call.
    public mutating func next(in manifest: RawSpan) -> ManifestSignature? {
        precondition(end <= manifest.byteCount)
        var ahead = self
        guard let signature = try? ahead.checkedNext(in: manifest) else { return nil }
        self = ahead
        return signature
    }

    //= MAN-6: Signatures MUST fill their space exactly, and stand in ascending order of algorithm,
    //= then of key id, each pair once.
    /// The same of a manifest that may break the rules for signatures, and which rule is broken.
    ///
    /// Always inlined, so that nothing is left of which it is where nobody asks.
    ///
    /// - Parameter manifest: has all signatures in it.
    @inline(__always)
    package mutating func checkedNext(
        in manifest: RawSpan
    ) throws(ManifestError) -> ManifestSignature? {
        let start = byteOffset
        if start == end { return nil }
        // A manifest has 32 MiB at most, so that no sum of an offset and a length wraps.
        let valueStart = start &+ ManifestLayout.signatureValue
        guard valueStart <= end else { throw .signatureCutShort(byteOffset: start) }
        // SAFETY: the twelve bytes before the value are inside, and so are those of the one before.
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

    /// With the reserved byte above it.
    private func algorithm(at start: Int, in manifest: RawSpan) -> UInt16 {
        manifest.number(uncheckedAt: start &+ ManifestLayout.signatureAlgorithm, as: UInt16.self)
    }

    private func keyID(at start: Int, in manifest: RawSpan) -> UInt64 {
        manifest.number(uncheckedAt: start &+ ManifestLayout.signatureKeyID, as: UInt64.self)
    }
}
