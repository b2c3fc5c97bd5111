import BLEOTACore
package import BLEOTAManifest
import BLEOTAWire

extension Manifest {
    /// The hardware that the image is for, if stated.
    public var hardware: HardwareRange? {
        guard let hardware = fields.hardware(in: bytes.span.bytes) else { return nil }
        return HardwareRange(
            name: String(decoding: bytes[hardware.name], as: UTF8.self),
            revisions: hardware.revisions
        )
    }

    /// The component of the device that the image is for, if stated.
    public var component: String? { text(.component) }

    /// The security counter, if stated.
    public var counter: UInt32? { fields.counter(in: bytes.span.bytes) }

    /// The last second in which the image may be installed, in Unix time, if stated.
    public var expiry: UInt64? { fields.expiry(in: bytes.span.bytes) }

    /// The signatures in the order of the manifest, including invalid ones.
    package var signatures: [ManifestSignature] {
        var signatures: [ManifestSignature] = []
        var cursor = fields.signatureCursor
        while let signature = cursor.next(in: bytes.span.bytes) {
            signatures.append(signature)
        }
        return signatures
    }

    /// Whether the manifest has a valid signature by this key. Takes about 50 µs for each
    /// signature that names the key.
    public func isSigned(by key: VerifyingKey) -> Bool {
        let message = SignedMessage.bytes(of: bytes.span.bytes.extracting(fields.signedBytes))
        return signatures.contains {
            key.isNamed(by: $0) && key.isSignature(Array(bytes[$0.value]), of: message)
        }
    }

    /// The same manifest with one more signature, and therefore another tag. An invalid
    /// signature that names this key is replaced. If the key has already signed the manifest,
    /// the manifest is returned unchanged: a P-256 signature differs each time, so a new
    /// signature would turn the manifest into another transfer.
    ///
    /// - Throws: `signaturesTooLong` if the other signatures leave no room.
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
