extension ManifestFields {
    //= ACCEPT-1: A receiver MUST ask in this order and refuse for the first that is not met:
    //= signature, hardware, component, counter, expiry, encoding; and only then look for room, and
    //= erase.
    /// Why a device does not take what this manifest describes; `nil` if nothing of it is against
    /// its policy.
    ///
    /// Costs a signature to verify for each trusted key that signed, and a look at each attribute.
    ///
    /// - Parameter manifest: the bytes these fields were read from.
    public func refusal(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) -> ManifestRefusal? {
        signatureRefusal(in: manifest, by: policy)
            ?? hardwareRefusal(in: manifest, by: policy)
            ?? componentRefusal(in: manifest, by: policy)
            ?? counterRefusal(in: manifest, by: policy)
            ?? expiryRefusal(in: manifest, by: policy)
            ?? encodingRefusal(in: manifest, by: policy)
    }

    //= ACCEPT-2: A receiver that does not take unsigned images MUST refuse a manifest of which no
    //= signature is by a trusted key and right; one that does MUST refuse it where a signature
    //= claims to be by a trusted key and none is right.
    private func signatureRefusal(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) -> ManifestRefusal? {
        let signed = manifest.extracting(signedBytes)
        var (count, trustedCount) = (0, 0)
        var cursor = signatureCursor
        while let signature = cursor.next(in: manifest) {
            count += 1
            guard policy.trusts(signature.keyID, signature.algorithm) else { continue }
            trustedCount += 1
            let isRight = policy.isSignature(
                manifest.extracting(signature.value),
                of: signed,
                by: signature.keyID,
                signature.algorithm
            )
            if isRight { return nil }
        }
        if trustedCount > 0 { return ManifestRefusal(.badSignature) }
        if policy.takesUnsigned { return nil }
        return ManifestRefusal(count > 0 ? .untrustedKey : .unsigned)
    }

    //= ACCEPT-3: A receiver that knows its hardware MUST refuse an image for other hardware or
    //= another revision, and a signed one that does not say for which; one that does not know MUST
    //= refuse an image that says it.
    private func hardwareRefusal(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) -> ManifestRefusal? {
        let isRight =
            if let hardware = hardware(in: manifest) {
                policy.isHardware(manifest.extracting(hardware.name), hardware.revisions)
            } else {
                signatureByteCount == 0 || !policy.isHardwareKnown
            }
        return isRight ? nil : ManifestRefusal(.wrongHardware)
    }

    //= ACCEPT-4: A receiver MUST refuse an image for a component that it is not.
    private func componentRefusal(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) -> ManifestRefusal? {
        guard let name = value(of: .component, in: manifest),
            !policy.isComponent(manifest.extracting(name))
        else { return nil }
        return ManifestRefusal(.wrongComponent)
    }

    //= ACCEPT-5: A receiver MUST refuse an image whose counter is below the lowest it takes; that
    //= of an image without one is 0.
    private func counterRefusal(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) -> ManifestRefusal? {
        guard counter(in: manifest) ?? 0 < policy.counterMin else { return nil }
        return ManifestRefusal(.downgrade, detail: UInt64(policy.counterMin))
    }

    //= ACCEPT-6: A receiver that knows the time MUST refuse an image that has expired.
    private func expiryRefusal(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) -> ManifestRefusal? {
        guard let expiry = expiry(in: manifest), let now = policy.secondsSince1970, now > expiry
        else { return nil }
        return ManifestRefusal(.expired, detail: expiry)
    }

    //= ACCEPT-9: A receiver MUST refuse, in this order, an encoding that it can't undo, a patch
    //= against another image than its current one, and a sealed image whose content key it can't
    //= open.
    private func encodingRefusal(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) -> ManifestRefusal? {
        encoding(in: manifest).flatMap { policy.refusal(of: $0, in: manifest) }
    }
}
