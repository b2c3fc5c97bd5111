import BLEOTACore
import BLEOTAManifest

/// The acceptance policy of a device at one moment.
struct DevicePolicy<Hooks: DeviceHooks>: AcceptanceRules {
    let hooks: Hooks
    /// The lowest counter that the record in flash permits.
    let counterOfRecord: UInt32

    var takesUnsigned: Bool { hooks.takesUnsigned }
    var isHardwareKnown: Bool { hooks.isHardwareKnown }
    var counterMin: UInt32 { max(hooks.counterMin, counterOfRecord) }

    func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool {
        hooks.trusts(DeviceSignature(signature, in: manifest))
    }

    func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool {
        let message = (
            ManifestLayout.signatureLabelBytes,
            SHA256.digest(of: manifest.bytes(in: signedBytes)).words
        )
        return withUnsafeBytes(of: message) {
            hooks.isValid(DeviceSignature(signature, in: manifest), of: $0)
        }
    }

    func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool {
        hooks.isHardware(manifest.bytes(in: hardware.name), hardware.revisions)
    }

    func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool {
        hooks.isComponent(manifest.bytes(in: name))
    }
}

extension RawSpan {
    /// Returns part of a manifest that has been checked.
    func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
        // SAFETY: the range is in bounds, and the bytes stay in the store's buffer while the
        // manifest is judged.
        withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(
                start: bytes.baseAddress.unsafelyUnwrapped + range.lowerBound,
                count: range.upperBound &- range.lowerBound
            )
        }
    }
}

extension ManifestLayout {
    /// The bytes of ``signatureLabel`` as they are in memory.
    fileprivate static var signatureLabelBytes: InlineArray<16, UInt8> {
        let text = signatureLabel.utf8Start
        return InlineArray { text[$0] }
    }
}
