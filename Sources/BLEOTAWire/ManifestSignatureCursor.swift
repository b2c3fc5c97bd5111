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

    /// Whether nothing is left, not even what breaks a rule.
    var isAtEnd: Bool { byteOffset == end }

    /// The next signature, also one of an unknown algorithm; `nil` after the last.
    ///
    /// - Parameter manifest: the whole manifest, the same with each call.
    public mutating func next(in manifest: RawSpan) -> ManifestSignature? {
        guard advance(in: manifest) else { return nil }
        return ManifestSignature(
            algorithm: algorithm(at: last, in: manifest),
            keyID: keyID(at: last, in: manifest),
            value: Range(uncheckedBounds: (last &+ ManifestLayout.signatureValue, byteOffset))
        )
    }

    /// Goes behind the next signature, if there is one that keeps the rules.
    ///
    /// Not inlined, because who checks a manifest and who judges it have it in common.
    @inline(never)
    mutating func advance(in manifest: RawSpan) -> Bool {
        guard !isAtEnd, fault(in: manifest) == nil else { return false }
        last = byteOffset
        byteOffset = valueEnd(in: manifest)
        return true
    }

    //= MAN-6: Signatures MUST fill their space exactly, and stand in ascending order of algorithm,
    //= then of key id, each pair once.
    /// Which rule is broken by what comes next; not to be asked at the end.
    ///
    /// Always inlined, so that nothing is left of it where nobody asks which.
    @inline(__always)
    func fault(in manifest: RawSpan) -> ManifestError? {
        precondition(end <= manifest.byteCount)
        // A manifest has 32 MiB at most, so that no sum of an offset and a length wraps.
        guard byteOffset &+ ManifestLayout.signatureValue <= end else {
            return .signatureCutShort(byteOffset: byteOffset)
        }
        let reserved = byteOffset &+ ManifestLayout.reservedInSignature
        // SAFETY: the twelve bytes before a value are inside, as was seen above.
        let reservedByte = manifest.unsafeLoad(fromUncheckedByteOffset: reserved, as: UInt8.self)
        guard reservedByte == 0 else { return .reservedNotZero(byteOffset: reserved) }
        let valueEnd = valueEnd(in: manifest)
        guard valueEnd <= end else { return .signatureCutShort(byteOffset: byteOffset) }
        let algorithm = algorithm(at: byteOffset, in: manifest)
        if last != 0 {
            let before = (
                self.algorithm(at: last, in: manifest).rawValue,
                keyID(at: last, in: manifest).rawValue
            )
            guard before < (algorithm.rawValue, keyID(at: byteOffset, in: manifest).rawValue) else {
                return .signatureOutOfOrder(byteOffset: byteOffset)
            }
        }
        //= MAN-7: A signature of a known algorithm MUST have the length that the registry gives.
        if let byteCount = algorithm.valueByteCount,
            byteCount != valueEnd &- byteOffset &- ManifestLayout.signatureValue
        {
            return .signatureLengthOutOfRange(algorithm, byteOffset: byteOffset)
        }
        return nil
    }

    // SAFETY: what follows is only asked about signatures whose first twelve bytes are before
    // ``end``, and that is inside of the manifest.

    private func algorithm(at byteOffset: Int, in manifest: RawSpan) -> SignatureAlgorithm {
        SignatureAlgorithm(
            rawValue: manifest.unsafeLoad(
                fromUncheckedByteOffset: byteOffset &+ ManifestLayout.signatureAlgorithm,
                as: UInt8.self
            )
        )
    }

    private func keyID(at byteOffset: Int, in manifest: RawSpan) -> KeyID {
        let number = manifest.unsafeLoadUnaligned(
            fromUncheckedByteOffset: byteOffset &+ ManifestLayout.signatureKeyID,
            as: UInt64.self
        )
        return KeyID(rawValue: UInt64(littleEndian: number))
    }

    private func valueEnd(in manifest: RawSpan) -> Int {
        let byteCount = manifest.unsafeLoadUnaligned(
            fromUncheckedByteOffset: byteOffset &+ ManifestLayout.signatureValueByteCount,
            as: UInt16.self
        )
        return byteOffset &+ ManifestLayout.signatureValue &+ Int(UInt16(littleEndian: byteCount))
    }
}
