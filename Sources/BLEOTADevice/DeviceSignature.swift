public import BLEOTAManifest

/// One signature of a manifest in memory. It may be used only during the call to which it is
/// passed.
public struct DeviceSignature {
    /// The algorithm of the signature.
    public let algorithm: SignatureAlgorithm
    /// The bytes of the signature. The key ID precedes them in memory.
    public let value: UnsafeRawBufferPointer

    /// - Parameter manifest: a manifest that has been checked and stays in place during the
    ///   call.
    init(_ signature: ManifestSignature, in manifest: RawSpan) {
        algorithm = signature.algorithm
        value = manifest.bytes(in: signature.value)
    }

    /// The ID of the signing key.
    public var keyID: KeyID {
        KeyID(rawValue: UInt64(littleEndian: keyIDBytes.loadUnaligned(as: UInt64.self)))
    }

    /// The key ID as it is stored in the manifest, 8 bytes.
    public var keyIDBytes: UnsafeRawBufferPointer {
        let byteCount = ManifestLayout.signatureValue &- ManifestLayout.signatureKeyID
        // SAFETY: these bytes directly precede the value.
        return UnsafeRawBufferPointer(
            start: value.baseAddress.unsafelyUnwrapped - byteCount,
            count: byteCount
        )
    }
}
