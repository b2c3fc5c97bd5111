public import BLEOTAManifest

/// One signature of a manifest as it lies in memory, to be looked at within the call that has it.
public struct DeviceSignature {
    /// How it was made.
    public let algorithm: SignatureAlgorithm
    /// The signature itself; the key id is before it.
    public let value: UnsafeRawBufferPointer

    /// - Parameter manifest: has been checked, and stays where it is within the call.
    init(_ signature: ManifestSignature, in manifest: RawSpan) {
        algorithm = signature.algorithm
        value = manifest.bytes(in: signature.value)
    }

    /// With which key.
    public var keyID: KeyID {
        KeyID(rawValue: UInt64(littleEndian: keyIDBytes.loadUnaligned(as: UInt64.self)))
    }

    /// The same as it is in the manifest, 8 bytes.
    public var keyIDBytes: UnsafeRawBufferPointer {
        let byteCount = ManifestLayout.signatureValue &- ManifestLayout.signatureKeyID
        // SAFETY: they are right before the value.
        return UnsafeRawBufferPointer(
            start: value.baseAddress.unsafelyUnwrapped - byteCount,
            count: byteCount
        )
    }
}
