extension ManifestFields {
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
        do throws(ManifestRefusal) {
            _ = try signedCounter(in: manifest, by: policy)
            return nil
        } catch { return error }
    }

    //= ACCEPT-1: A receiver MUST ask in this order and refuse for the first that is not met:
    //= signature, hardware, component, counter, expiry, encoding; and only then look for room, and
    //= erase.
    /// The counter of what a device takes, as far as a trusted key has signed it; else 0.
    ///
    /// - Parameter manifest: the bytes these fields were read from.
    /// - Throws: what ``refusal(in:by:)`` returns.
    public func signedCounter(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) throws(ManifestRefusal) -> UInt32 {
        let isTrusted = try checkSignatures(in: manifest, by: policy)
        try checkHardware(in: manifest, by: policy)
        try checkComponent(in: manifest, by: policy)
        let counter = counter(in: manifest) ?? 0
        try check(counter, by: policy)
        try checkExpiry(in: manifest, by: policy)
        try checkEncoding(in: manifest, by: policy)
        return isTrusted ? counter : 0
    }

    //= ACCEPT-2: A receiver that does not take unsigned images MUST refuse a manifest of which no
    //= signature is by a trusted key and right; one that does MUST refuse it where a signature
    //= claims to be by a trusted key and none is right.
    /// Whether there is such a signature.
    private func checkSignatures(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) throws(ManifestRefusal) -> Bool {
        var isClaimed = false
        var cursor = signatureCursor
        while let signature = cursor.next(in: manifest) {
            guard policy.trusts(signature.keyID, signature.algorithm) else { continue }
            isClaimed = true
            let isRight = policy.isSignature(
                manifest.extracting(signature.value),
                of: manifest.extracting(signedBytes),
                by: signature.keyID,
                signature.algorithm
            )
            if isRight { return true }
        }
        if isClaimed { throw ManifestRefusal(.badSignature) }
        if policy.takesUnsigned { return false }
        throw ManifestRefusal(signatureByteCount > 0 ? .untrustedKey : .unsigned)
    }

    //= ACCEPT-3: A receiver that knows its hardware MUST refuse an image for other hardware or
    //= another revision, and a signed one that does not say for which; one that does not know MUST
    //= refuse an image that says it.
    private func checkHardware(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) throws(ManifestRefusal) {
        let isRight =
            if let hardware = hardware(in: manifest) {
                policy.isHardware(manifest.extracting(hardware.name), hardware.revisions)
            } else {
                signatureByteCount == 0 || !policy.isHardwareKnown
            }
        guard isRight else { throw ManifestRefusal(.wrongHardware) }
    }

    //= ACCEPT-4: A receiver MUST refuse an image for a component that it is not.
    private func checkComponent(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) throws(ManifestRefusal) {
        if let name = value(of: .component, in: manifest),
            !policy.isComponent(manifest.extracting(name))
        {
            throw ManifestRefusal(.wrongComponent)
        }
    }

    //= ACCEPT-5: A receiver MUST refuse an image whose counter is below the lowest it takes; that
    //= of an image without one is 0.
    private func check(
        _ counter: UInt32,
        by policy: some AcceptancePolicy
    ) throws(ManifestRefusal) {
        let counterMin = policy.counterMin
        guard counter >= counterMin else {
            throw ManifestRefusal(.downgrade, detail: UInt64(counterMin))
        }
    }

    //= ACCEPT-6: A receiver that knows the time MUST refuse an image that has expired.
    private func checkExpiry(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) throws(ManifestRefusal) {
        if let now = policy.secondsSince1970, let expiry = expiry(in: manifest), now > expiry {
            throw ManifestRefusal(.expired, detail: expiry)
        }
    }

    //= ACCEPT-9: A receiver MUST refuse, in this order, an encoding that it can't undo, a patch
    //= against another image than its current one, and a sealed image whose content key it can't
    //= open.
    private func checkEncoding(
        in manifest: RawSpan,
        by policy: some AcceptancePolicy
    ) throws(ManifestRefusal) {
        if let encoding = encoding(in: manifest),
            let refusal = policy.refusal(of: encoding, in: manifest)
        {
            throw refusal
        }
    }
}
