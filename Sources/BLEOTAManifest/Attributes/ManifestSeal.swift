import BLEOTAWire

/// The positions in a manifest of the parts of a seal (spec/bleota.md, section 4.6).
public struct ManifestSeal: Hashable, Sendable {
    private let value: Range<Int>

    /// - Parameter value: the byte range of the attribute's value, whose length the registry
    ///   allows.
    init(_ value: Range<Int>) { self.value = value }

    /// The byte range of the ephemeral public key, which was made for this image, 32 bytes.
    public var ephemeralKey: Range<Int> {
        value.lowerBound..<value.lowerBound + ManifestLayout.sealRecipients
    }

    /// The number of keys for which the image is sealed, 1 to 3.
    public var recipientCount: Int {
        (value.count - ManifestLayout.sealRecipients) / ManifestLayout.sealRecipientByteCount
    }

    /// Returns the key ID of recipient `index`.
    ///
    /// - Parameters:
    ///   - index: a number below ``recipientCount``.
    ///   - manifest: the bytes from which this seal was read.
    public func keyID(ofRecipient index: Int, in manifest: RawSpan) -> KeyID {
        KeyID(rawValue: manifest.uint64(at: start(ofRecipient: index)))
    }

    /// Returns the byte range of the content key that is sealed for recipient `index`, 48
    /// bytes.
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
