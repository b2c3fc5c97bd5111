import BLEOTAWire

extension ManifestReading {
    /// Reads a manifest and checks every rule except those for signatures.
    ///
    /// Not inlined: on a microcontroller, a function with registers of its own takes less code.
    @inline(never)
    private mutating func isValid(_ manifest: RawSpan) -> Bool {
        do throws(ManifestError) {
            try read(manifest)
            return true
        } catch { return false }
    }

    //= ACCEPT-1: A receiver MUST ask in this order and refuse for the first that is not met:
    //= signature, hardware, component, counter, expiry, encoding; and only then look for room, and
    //= erase.
    /// Returns the counter of an acceptable image if a trusted key has signed it, and 0
    /// otherwise.
    ///
    /// First reads the manifest, and refuses it if it breaks a rule. The rules for signatures
    /// are checked later, so the policy may already have been asked about signatures that
    /// precede a malformed one.
    ///
    /// - Parameter manifest: the whole manifest and nothing else.
    @inline(__always)
    package mutating func signedCounter(
        in manifest: RawSpan,
        by policy: some AcceptanceRules
    ) throws(ManifestRefusal) -> UInt32 {
        guard isValid(manifest) else {
            throw unknownType.mustBeUnderstood
                ? ManifestRefusal(.unknownAttribute, detail: UInt64(unknownType.rawValue))
                : ManifestRefusal(.malformedManifest)
        }
        let isTrusted = try checkSignatures(in: manifest, by: policy)
        try checkHardware(in: manifest, by: policy, isTrusted: isTrusted)
        try checkComponent(in: manifest, by: policy)
        let value = start(of: .counter)
        // SAFETY: values that have been read are in bounds, here and below.
        let counter = value == 0 ? 0 : manifest.number(uncheckedAt: value, as: UInt32.self)
        try check(counter, by: policy)
        try checkExpiry(in: manifest, by: policy)
        try checkEncoding(in: manifest, by: policy)
        return isTrusted ? counter : 0
    }

    //= ACCEPT-2: A receiver that does not take unsigned images MUST refuse a manifest of which no
    //= signature is by a trusted key and right; one that does MUST refuse it where a signature
    //= claims to be by a trusted key and none is right.
    /// Returns whether there is a valid signature by a trusted key.
    private func checkSignatures(
        in manifest: RawSpan,
        by policy: some AcceptanceRules
    ) throws(ManifestRefusal) -> Bool {
        let signing = signing(in: manifest, by: policy)
        if signing == .malformed { throw ManifestRefusal(.malformedManifest) }
        if signing == .forged { throw ManifestRefusal(.badSignature) }
        if signing == .untrusted, !policy.takesUnsigned {
            throw ManifestRefusal(fields.signatureByteCount > 0 ? .untrustedKey : .unsigned)
        }
        return signing == .trusted
    }

    /// Not inlined: on a microcontroller, a function with registers of its own takes less code.
    @inline(never)
    private func signing(in manifest: RawSpan, by policy: some AcceptanceRules) -> Signing {
        var signing = Signing.untrusted
        var cursor = fields.signatureCursor
        do throws(ManifestError) {
            while let signature = try cursor.checkedNext(in: manifest) {
                guard signing != .trusted, policy.trusts(signature, in: manifest) else { continue }
                signing =
                    policy.isSignature(signature, of: fields.signedBytes, in: manifest)
                    ? .trusted : .forged
            }
            return signing
        } catch { return .malformed }
    }

    //= ACCEPT-3: A receiver that knows its hardware MUST refuse an image for other hardware or
    //= another revision, and one that a trusted key has signed and that does not say for which; one
    //= that does not know MUST refuse an image that says it.
    private func checkHardware(
        in manifest: RawSpan,
        by policy: some AcceptanceRules,
        isTrusted: Bool
    ) throws(ManifestRefusal) {
        let value = start(of: .hardware)
        let isValid =
            value != 0
            ? policy.isHardware(ManifestHardware(at: value, in: manifest), in: manifest)
            : !isTrusted || !policy.isHardwareKnown
        guard isValid else { throw ManifestRefusal(.wrongHardware) }
    }

    //= ACCEPT-4: A receiver MUST refuse an image that names a component other than its own; one
    //= that has no component MUST refuse each that names one.
    private func checkComponent(
        in manifest: RawSpan,
        by policy: some AcceptanceRules
    ) throws(ManifestRefusal) {
        let value = start(of: .component)
        if value != 0, !policy.isComponent(manifest.value(at: value), in: manifest) {
            throw ManifestRefusal(.wrongComponent)
        }
    }

    //= ACCEPT-5: A receiver MUST refuse an image whose counter is below the lowest it takes; that
    //= of an image without one is 0.
    private func check(
        _ counter: UInt32,
        by policy: some AcceptanceRules
    ) throws(ManifestRefusal) {
        let counterMin = policy.counterMin
        guard counter >= counterMin else {
            throw ManifestRefusal(.downgrade, detail: UInt64(counterMin))
        }
    }

    //= ACCEPT-6: A receiver that knows the time MUST refuse an image that has expired.
    private func checkExpiry(
        in manifest: RawSpan,
        by policy: some AcceptanceRules
    ) throws(ManifestRefusal) {
        let value = start(of: .expiry)
        guard value != 0, let now = policy.secondsSince1970 else { return }
        let expiry = manifest.number(uncheckedAt: value, as: UInt64.self)
        if now > expiry { throw ManifestRefusal(.expired, detail: expiry) }
    }

    //= ACCEPT-9: A receiver that does not hold the image decoded already MUST refuse, in this
    //= order, an encoding that it can't undo, a patch against another image than its current one,
    //= and a sealed image whose content key it can't open.
    private func checkEncoding(
        in manifest: RawSpan,
        by policy: some AcceptanceRules
    ) throws(ManifestRefusal) {
        let value = start(of: .encoding)
        if value != 0,
            let refusal = policy.refusal(
                of: ManifestEncoding(at: value, in: manifest),
                in: manifest
            )
        {
            throw refusal
        }
    }
}

/// The result of checking a manifest's signatures against a policy.
private enum Signing: UInt8 {
    /// No signature claims to be by a trusted key.
    case untrusted
    /// A signature by a trusted key is valid.
    case trusted
    /// Some signature claims to be by a trusted key, but none is valid.
    case forged
    /// A signature breaks a rule of the format.
    case malformed
}
