import BLEOTACore

/// What a device takes at one moment.
struct DevicePolicy<Hooks: DeviceHooks>: AcceptancePolicy {
    let hooks: Hooks
    /// What the record in flash asks for.
    let counterOfRecord: UInt32

    var takesUnsigned: Bool { hooks.takesUnsigned }
    var isHardwareKnown: Bool { hooks.isHardwareKnown }
    var counterMin: UInt32 { max(hooks.counterMin, counterOfRecord) }

    func trusts(_ keyID: KeyID, _ algorithm: SignatureAlgorithm) -> Bool {
        hooks.trusts(keyID, algorithm)
    }

    func isSignature(
        _ signature: RawSpan,
        of signedBytes: RawSpan,
        by keyID: KeyID,
        _ algorithm: SignatureAlgorithm
    ) -> Bool {
        let message = (
            ManifestLayout.signatureLabelBytes,
            signedBytes.withUnsafeBytes { SHA256.digest(of: $0).words }
        )
        return withUnsafeBytes(of: message) { message in
            hooks.isSignature(signature, of: message, by: keyID, algorithm)
        }
    }

    func isHardware(_ name: RawSpan, _ revisions: ClosedRange<UInt16>) -> Bool {
        hooks.isHardware(name, revisions)
    }

    func isComponent(_ name: RawSpan) -> Bool { hooks.isComponent(name) }
}

extension ManifestLayout {
    /// ``signatureLabel`` as it lies in memory.
    fileprivate static var signatureLabelBytes: InlineArray<16, UInt8> {
        let text = signatureLabel.utf8Start
        return InlineArray { text[$0] }
    }
}
