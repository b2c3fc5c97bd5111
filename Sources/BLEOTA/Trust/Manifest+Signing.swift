public import BLEOTACore

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
    public var signatures: [ManifestSignature] {
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
            $0.algorithm == .ed25519 && $0.keyID == key.id
                && key.isSignature(Array(bytes[$0.value]), of: message)
        }
    }

    /// The same manifest with one more signature, under another tag; one that this key made before
    /// gives way to the new one.
    ///
    /// - Throws: `signaturesTooLong` where those of others leave no room.
    public func signed(by key: SigningKey) throws(ManifestError) -> Manifest {
        let id = key.verifyingKey.id
        let message = SignedMessage.bytes(of: bytes.span.bytes.extracting(fields.signedBytes))
        var entries = signatures.filter { $0.algorithm != .ed25519 || $0.keyID != id }
            .map { ($0.algorithm, $0.keyID, Array(bytes[$0.value])) }
        entries.append((.ed25519, id, key.signature(of: message)))
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
