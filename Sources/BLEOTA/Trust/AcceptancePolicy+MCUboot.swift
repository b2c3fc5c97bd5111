import BLEOTAManifest
import BLEOTAWire

extension AcceptancePolicy {
    /// Whether the policy accepts images that no trusted key has signed.
    var acceptsUnsigned: Bool { takesUnsigned ?? trustedKeys.isEmpty }

    /// The reason the policy refuses an MCUboot image; `nil` if it accepts the image.
    ///
    /// - Parameters:
    ///   - manifest: the manifest that this device has made for the image.
    ///   - isTrusted: whether a trusted key has signed the image.
    func refusal(
        ofMCUboot manifest: Manifest,
        isTrusted: Bool,
        for status: StoreStatus
    ) -> ManifestRefusal? {
        // The signature is in the image instead of the manifest.
        var policy = self
        policy.takesUnsigned = acceptsUnsigned || isTrusted
        if let refusal = policy.refusal(of: manifest, for: status) { return refusal }
        // As with manifests, a signed image must name the hardware that it is for; an MCUboot image
        // never does.
        let lacksHardware = isTrusted && hardware != nil && !isAnyDevice
        return lacksHardware ? ManifestRefusal(.wrongHardware) : nil
    }
}
