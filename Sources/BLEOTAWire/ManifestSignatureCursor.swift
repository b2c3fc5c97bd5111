/// Goes through the signatures of a manifest, and checks on the way that they keep the rules. It
/// does not verify them.
///
/// ```swift
/// var cursor = fields.signatureCursor
/// while let signature = try cursor.next(in: manifest) { … }
/// ```
public struct ManifestSignatureCursor: Sendable {
    private var byteOffset: Int
    private let end: Int
    private var last: (algorithm: SignatureAlgorithm, keyID: KeyID)?

    /// A cursor before the first signature of those that fill `range`.
    init(range: Range<Int>) {
        byteOffset = range.lowerBound
        end = range.upperBound
    }

    /// The next signature, also one of an unknown algorithm; `nil` after the last.
    ///
    /// - Parameter manifest: the whole manifest, the same with each call.
    public mutating func next(
        in manifest: RawSpan
    ) throws(ManifestError) -> ManifestSignature? {
        guard byteOffset < end else { return nil }
        let signature = try signatureHere(in: manifest)
        try check(signature)
        last = (signature.algorithm, signature.keyID)
        byteOffset = signature.value.upperBound
        return signature
    }

    //= MAN-6: Signatures MUST fill their space exactly, and stand in ascending order of algorithm,
    //= then of key id, each pair once.
    private func signatureHere(in manifest: RawSpan) throws(ManifestError) -> ManifestSignature {
        let start = byteOffset + ManifestLayout.signatureValue
        guard start <= end else { throw .signatureCutShort(byteOffset: byteOffset) }
        guard manifest.byte(at: byteOffset + ManifestLayout.reservedInSignature) == 0 else {
            throw .reservedNotZero(byteOffset: byteOffset + ManifestLayout.reservedInSignature)
        }
        let byteCount = manifest.uint16(at: byteOffset + ManifestLayout.signatureValueByteCount)
        guard start + Int(byteCount) <= end else {
            throw .signatureCutShort(byteOffset: byteOffset)
        }
        return ManifestSignature(
            algorithm: SignatureAlgorithm(
                rawValue: manifest.byte(at: byteOffset + ManifestLayout.signatureAlgorithm)
            ),
            keyID: KeyID(
                rawValue: manifest.uint64(at: byteOffset + ManifestLayout.signatureKeyID)
            ),
            value: start..<start + Int(byteCount)
        )
    }

    private func check(_ signature: ManifestSignature) throws(ManifestError) {
        if let last {
            let (before, now) = (last.algorithm.rawValue, signature.algorithm.rawValue)
            let isInOrder =
                before < now || before == now && last.keyID.rawValue < signature.keyID.rawValue
            guard isInOrder else { throw .signatureOutOfOrder(byteOffset: byteOffset) }
        }
        //= MAN-7: A signature of a known algorithm MUST have the length that the registry gives.
        if let byteCount = signature.algorithm.valueByteCount, byteCount != signature.value.count {
            throw .signatureLengthOutOfRange(signature.algorithm, byteOffset: byteOffset)
        }
    }
}
