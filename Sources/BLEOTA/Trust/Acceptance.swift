import BLEOTACore
import BLEOTAManifest
import BLEOTAWire

/// A receiver's policy at one moment, combined with the state of its store and the time.
struct Acceptance: AcceptanceRules {
    let policy: AcceptancePolicy
    let manifest: Manifest
    let status: StoreStatus
    let isDecoded: Bool
    let counterMin: UInt32
    let secondsSince1970: UInt64?

    var takesUnsigned: Bool { policy.takesUnsigned ?? policy.trustedKeys.isEmpty }

    func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool {
        policy.trustedKeys.contains { $0.isNamed(by: signature) }
    }

    func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool {
        let message = SignedMessage.bytes(of: manifest.extracting(signedBytes))
        let value = manifest.extracting(signature.value).withUnsafeBytes { Array($0) }
        return policy.trustedKeys.contains {
            $0.isNamed(by: signature) && $0.isSignature(value, of: message)
        }
    }

    var isHardwareKnown: Bool { policy.hardware != nil }

    func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool {
        if policy.isAnyDevice { return true }
        guard let own = policy.hardware else { return false }
        return hardware.revisions.contains(own.revision)
            && manifest.extracting(hardware.name).isText(own.name)
    }

    func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool {
        policy.isAnyDevice
            || policy.component.map { manifest.extracting(name).isText($0) } ?? false
    }

    func refusal(of encoding: ManifestEncoding, in manifest: RawSpan) -> ManifestRefusal? {
        if isDecoded { return nil }
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
