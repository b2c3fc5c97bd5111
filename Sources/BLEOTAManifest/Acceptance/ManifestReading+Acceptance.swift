import BLEOTAWire

extension ManifestReading {
    /// Reads a manifest and checks every rule except those for signatures.
    ///
    /// Not inlined: as a separate function, it has its own register allocation, which makes the
    /// code smaller on a microcontroller.
    @inline(never)
    private mutating func isValid(_ manifest: RawSpan) -> Bool {
        do throws(ManifestError) {
            try read(manifest)
            return true
        } catch { return false }
    }

    //= ACCEPT-1: A receiver MUST check in this order, and refuse the image at the first check that
    //= fails: signature, hardware, component, counter, expiry, encoding. It MUST NOT look for room
    //= or erase anything before all these checks have passed.
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

    //= ACCEPT-2: A receiver that does not accept unsigned images MUST refuse a manifest without a
    //= valid signature by a trusted key. A receiver that accepts unsigned images MUST refuse a
    //= manifest if a signature in it names a trusted key and no signature by a trusted key is
    //= valid.
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

    /// Verifies the signatures by trusted keys, up to the first valid one, and checks the rules for
    /// all signatures.
    ///
    /// Not inlined: as a separate function, it has its own register allocation, which makes the
    /// code smaller on a microcontroller.
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
    //= another revision. It MUST also refuse an image that a trusted key has signed and that states
    //= no hardware. A receiver that does not know its hardware MUST refuse an image that states
    //= hardware.
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

    //= ACCEPT-4: A receiver MUST refuse an image that names a component other than its own. A
    //= receiver without a component MUST refuse every image that names one.
    private func checkComponent(
        in manifest: RawSpan,
        by policy: some AcceptanceRules
    ) throws(ManifestRefusal) {
        let value = start(of: .component)
        if value != 0, !policy.isComponent(manifest.value(at: value), in: manifest) {
            throw ManifestRefusal(.wrongComponent)
        }
    }

    //= ACCEPT-5: A receiver MUST refuse an image whose counter is below the lowest counter that it
    //= accepts.
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

    //= ACCEPT-9: If a receiver does not hold the decoded image already, it MUST refuse, in this
    //= order: an encoding that it cannot decode; a patch whose base is not the receiver's current
    //= image; a sealed image whose content key it cannot open.
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
    /// A signature claims to be by a trusted key, but no such signature is valid.
    case forged
    /// A signature breaks a rule of the format.
    case malformed
}
