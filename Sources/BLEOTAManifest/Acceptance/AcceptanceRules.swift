import BLEOTAWire

/// The acceptance policy of a device. It answers the questions that
/// ``ManifestFields/refusal(in:by:)`` asks about a manifest, in the order of spec/bleota.md,
/// section 4.4.
///
/// The extension below gives default answers for a device without requirements. Such a device
/// does not know its hardware, has no component and no clock, and its counter is 0. It trusts no
/// key, so no image counts as signed. It has no decoder, so it accepts only unencoded images.
public protocol AcceptanceRules {
    /// Whether the device accepts an image without a signature by a trusted key.
    var takesUnsigned: Bool { get }

    /// Whether the device has the public key that a signature names, and trusts it.
    func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool

    /// Whether a signature was made with a trusted key over the message of section 4.3: the 16
    /// bytes of ``ManifestLayout/signatureLabel``, then the SHA-256 of `signedBytes`.
    ///
    /// - Parameters:
    ///   - signature: a signature for which ``trusts(_:in:)`` returned true. Other keys may
    ///     have the same ID. The value of the signature has the length that its algorithm requires.
    ///   - signedBytes: the range of the signed part of the manifest, up to 32 MiB.
    ///   - manifest: the whole manifest.
    func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool

    /// Whether the device knows its own hardware. If so, a signed image must name the hardware
    /// that it is for.
    var isHardwareKnown: Bool { get }

    /// Whether the device's hardware has this name and one of these revisions.
    func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool

    /// Whether the device is the component whose UTF-8 name is at `name`.
    func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool

    /// The lowest security counter that the device accepts.
    var counterMin: UInt32 { get }

    /// Returns the reason the device can't decode an image, or `nil` if it can.
    ///
    /// - Parameters:
    ///   - encoding: the encoding of the image.
    ///   - manifest: the manifest from which the encoding was read, including the base and the
    ///     seal.
    func refusal(of encoding: ManifestEncoding, in manifest: RawSpan) -> ManifestRefusal?

    /// The Unix time in seconds, or `nil` if it is unknown. While it is unknown, no image counts as
    /// expired.
    var secondsSince1970: UInt64? { get }
}

extension AcceptanceRules {
    /// Trusts no key.
    public func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool { false }

    /// Accepts no signature, because no key is trusted.
    public func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool { false }

    /// The device does not know its hardware.
    public var isHardwareKnown: Bool { false }

    /// Matches no hardware, because the device does not know its own.
    public func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool { false }

    /// Matches no component, because the device has none.
    public func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool { false }

    /// Accepts any counter.
    public var counterMin: UInt32 { 0 }

    /// Refuses every encoding as unsupported.
    public func refusal(of encoding: ManifestEncoding, in manifest: RawSpan) -> ManifestRefusal? {
        ManifestRefusal(.unsupportedEncoding, detail: UInt64(encoding.byte))
    }

    /// The device has no clock.
    public var secondsSince1970: UInt64? { nil }
}
