import BLEOTAWire

/// What a device is and whom it trusts: it answers what a manifest is asked about, and
/// ``ManifestFields/refusal(in:by:)`` asks in the order of the specification
/// (spec/bleota.md, section 4.4).
///
/// A device that has no say in something has the answer that the extension below gives: no
/// hardware, no component, a counter of 0, no clock, no key and so unsigned images only, and images
/// as they are.
public protocol AcceptanceRules {
    /// Whether an image without a signature by a trusted key is taken.
    var takesUnsigned: Bool { get }

    /// Whether it has the public key that a signature names, and trusts who has the private one.
    func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool

    /// Whether a signature was made with a trusted key over the message of section 4.3: the 16
    /// bytes of ``ManifestLayout/signatureLabel`` and the SHA-256 of `signedBytes`.
    ///
    /// - Parameters:
    ///   - signature: by a key that ``trusts(_:in:)`` said yes to, and others may have the same id;
    ///     as long as the algorithm makes them.
    ///   - signedBytes: where the signed part of the manifest is, up to 32 MiB.
    func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool

    /// Whether it knows what it is, so that a signed image has to say for what it is.
    var isHardwareKnown: Bool { get }

    /// Whether it is the hardware of this name, and of one of these revisions.
    func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool

    /// Whether it is the part of a device that has the name, in UTF-8, which is there.
    func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool

    /// The lowest security counter it takes.
    var counterMin: UInt32 { get }

    /// Why it can't undo the encoding of an image; `nil` if it can.
    ///
    /// - Parameter manifest: the bytes that the encoding was read from, with the base and the seal.
    func refusal(of encoding: ManifestEncoding, in manifest: RawSpan) -> ManifestRefusal?

    /// The time in seconds since the beginning of 1970, UTC; `nil` where nobody knows it, and then
    /// nothing expires.
    var secondsSince1970: UInt64? { get }
}

extension AcceptanceRules {
    /// No key is trusted.
    public func trusts(_ signature: ManifestSignature, in manifest: RawSpan) -> Bool { false }

    /// No key is trusted.
    public func isSignature(
        _ signature: ManifestSignature,
        of signedBytes: Range<Int>,
        in manifest: RawSpan
    ) -> Bool { false }

    /// It does not know what it is.
    public var isHardwareKnown: Bool { false }

    /// It does not know what it is.
    public func isHardware(_ hardware: ManifestHardware, in manifest: RawSpan) -> Bool { false }

    /// It has no parts.
    public func isComponent(_ name: Range<Int>, in manifest: RawSpan) -> Bool { false }

    /// Any.
    public var counterMin: UInt32 { 0 }

    /// It can undo none.
    public func refusal(of encoding: ManifestEncoding, in manifest: RawSpan) -> ManifestRefusal? {
        ManifestRefusal(.unsupportedEncoding, detail: UInt64(encoding.byte))
    }

    /// Without a clock.
    public var secondsSince1970: UInt64? { nil }
}
