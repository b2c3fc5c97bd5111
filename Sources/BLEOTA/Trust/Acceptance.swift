import BLEOTACore

/// A receiver's policy at one moment, with what its store and its clock say.
struct Acceptance: AcceptancePolicy {
    let policy: ReceivePolicy
    let manifest: Manifest
    let status: StoreStatus
    let isNew: Bool
    let counterMin: UInt32
    let secondsSince1970: UInt64?

    var takesUnsigned: Bool { policy.takesUnsigned ?? policy.trustedKeys.isEmpty }

    func trusts(_ keyID: KeyID, _ algorithm: SignatureAlgorithm) -> Bool {
        algorithm == .ed25519 && policy.trustedKeys.contains { $0.id == keyID }
    }

    func isSignature(
        _ signature: RawSpan,
        of signedBytes: RawSpan,
        by keyID: KeyID,
        _ algorithm: SignatureAlgorithm
    ) -> Bool {
        let message = SignedMessage.bytes(of: signedBytes)
        let signature = signature.withUnsafeBytes { Array($0) }
        return policy.trustedKeys.contains {
            $0.id == keyID && $0.isSignature(signature, of: message)
        }
    }

    var isHardwareKnown: Bool { policy.hardware != nil }

    func isHardware(_ name: RawSpan, _ revisions: ClosedRange<UInt16>) -> Bool {
        if policy.isAnyDevice { return true }
        guard let hardware = policy.hardware else { return false }
        return revisions.contains(hardware.revision) && name.isText(hardware.name)
    }

    func isComponent(_ name: RawSpan) -> Bool {
        policy.isAnyDevice || policy.component.map { name.isText($0) } ?? false
    }

    func refusal(of encoding: ManifestEncoding, in manifest: RawSpan) -> ManifestRefusal? {
        if !isNew { return nil }
        guard policy.takesEncoded, status.decodesImages else {
            return ManifestRefusal(.unsupportedEncoding, detail: UInt64(encoding.byte))
        }
        return policy.decoder.refusal(
            of: encoding,
            in: self.manifest,
            currentSHA256: status.currentSHA256
        )
    }
}

extension RawSpan {
    fileprivate func isText(_ text: String) -> Bool {
        withUnsafeBytes { $0.elementsEqual(text.utf8) }
    }
}
