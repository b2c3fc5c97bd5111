import BLEOTAWire

/// Where in a manifest the parts of a seal stand (spec/bleota.md, section 4.6).
public struct ManifestSeal: Hashable, Sendable {
    private let value: Range<Int>

    /// - Parameter value: that of the attribute, of a length that the registry allows.
    init(_ value: Range<Int>) { self.value = value }

    /// The public key that was made for this image, 32 bytes.
    public var ephemeralKey: Range<Int> {
        value.lowerBound..<value.lowerBound + ManifestLayout.sealRecipients
    }

    /// For how many keys it is sealed, 1 to 3.
    public var recipientCount: Int {
        (value.count - ManifestLayout.sealRecipients) / ManifestLayout.sealRecipientByteCount
    }

    /// Which key recipient `index` has.
    ///
    /// - Parameter manifest: the bytes this was read from.
    public func keyID(ofRecipient index: Int, in manifest: RawSpan) -> KeyID {
        KeyID(rawValue: manifest.uint64(at: start(ofRecipient: index)))
    }

    /// The content key, sealed for recipient `index`, 48 bytes.
    public func contentKey(ofRecipient index: Int) -> Range<Int> {
        let start = start(ofRecipient: index)
        return start + ManifestLayout.sealedContentKey..<start
            + ManifestLayout.sealRecipientByteCount
    }

    private func start(ofRecipient index: Int) -> Int {
        precondition(index >= 0 && index < recipientCount)
        return value.lowerBound + ManifestLayout.sealRecipients
            + index * ManifestLayout.sealRecipientByteCount
    }
}
