import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

extension Manifest {
    /// Which hardware the image is for, if it is stated.
    public var hardware: HardwareRange? {
        guard let hardware = fields.hardware(in: bytes.span.bytes) else { return nil }
        return HardwareRange(
            name: String(decoding: bytes[hardware.name], as: UTF8.self),
            revisions: hardware.revisions
        )
    }

    /// For which part of the device the image is, if it is stated.
    public var component: String? { text(.component) }

    /// The security counter, if it is stated.
    public var counter: UInt32? { fields.counter(in: bytes.span.bytes) }

    /// The last second of the image's life since the beginning of 1970, UTC, if it is stated.
    public var expiry: UInt64? { fields.expiry(in: bytes.span.bytes) }

    /// Whose signatures it has, right or not, in the order in which they stand.
    package var signatures: [ManifestSignature] {
        var signatures: [ManifestSignature] = []
        var cursor = fields.signatureCursor
        while let signature = cursor.next(in: bytes.span.bytes) {
            signatures.append(signature)
        }
        return signatures
    }

    /// Whether the owner of this key signed it.
    public func isSigned(by key: VerifyingKey) -> Bool {
        let message = SignedMessage.bytes(of: bytes.span.bytes.extracting(fields.signedBytes))
        return signatures.contains {
            key.isNamed(by: $0) && key.isSignature(Array(bytes[$0.value]), of: message)
        }
    }

    /// The same manifest with one more signature, under another tag; one that claims to be by this
    /// key and is wrong gives way to it. A manifest that this key has signed stays as it is, since
    /// signatures of P-256 are new each time, and the manifest would be another transfer.
    ///
    /// - Throws: `signaturesTooLong` where those of others leave no room.
    package func signed(by key: SigningKey) throws(ManifestError) -> Manifest {
        if isSigned(by: key.verifyingKey) { return self }
        let (kind, id) = (key.verifyingKey.kind, key.verifyingKey.id)
        let message = SignedMessage.bytes(of: bytes.span.bytes.extracting(fields.signedBytes))
        var entries = signatures.filter { !key.verifyingKey.isNamed(by: $0) }
            .map { ($0.algorithm, $0.keyID, Array(bytes[$0.value])) }
        entries.append((kind.algorithm, id, key.signature(of: message)))
        entries.sort { ($0.0.rawValue, $0.1.rawValue) < ($1.0.rawValue, $1.1.rawValue) }
        var signatures: [UInt8] = []
        for (algorithm, keyID, value) in entries {
            signatures += [algorithm.rawValue, 0] + UInt16(value.count).littleEndianBytes
            signatures += keyID.rawValue.littleEndianBytes + value
        }
        guard signatures.count <= ManifestLayout.signatureByteCountMax else {
            throw .signaturesTooLong(
                byteCount: signatures.count,
                byteOffset: fields.signedBytes.upperBound
            )
        }
        let whole =
            bytes[fields.signedBytes] + UInt16(signatures.count).littleEndianBytes + signatures
        return try Manifest(bytes: Array(whole))
    }
}
