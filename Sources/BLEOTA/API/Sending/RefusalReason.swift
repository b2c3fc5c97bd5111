package import BLEOTAWire

/// The reason a receiver refuses an image. The receiver sends it to the sender, which reports
/// it to its application.
///
/// A reason that this release does not recognize keeps its number, because the peer may run a
/// newer release.
public struct RefusalReason: Sendable, Hashable, CustomStringConvertible {
    /// The reason in the protocol's own type.
    package let reason: Reason

    package init(_ reason: Reason) { self.reason = reason }

    /// The name in the protocol's registry, such as `wrongHardware`, or the number of an
    /// unknown reason.
    public var description: String { reason.name ?? "reason \(reason.rawValue)" }

    /// Another transfer holds the store.
    public static let busy = RefusalReason(.busy)
    /// The store has no space for the image.
    public static let noSpace = RefusalReason(.noSpace)
    /// The store can't read or write.
    public static let storeFailed = RefusalReason(.storeFailed)
    /// The image, its manifest or its blocks exceed a limit.
    public static let tooLarge = RefusalReason(.tooLarge)
    /// The device does not accept images at this time.
    public static let notNow = RefusalReason(.notNow)
    /// The device accepts only signed images.
    public static let unsigned = RefusalReason(.unsigned)
    /// The image has signatures, but none by a key that the device trusts.
    public static let untrustedKey = RefusalReason(.untrustedKey)
    /// A signature names a trusted key but is not valid for this image.
    public static let badSignature = RefusalReason(.badSignature)
    /// The image is for other hardware, or states no hardware.
    public static let wrongHardware = RefusalReason(.wrongHardware)
    /// The image is for another component of the device.
    public static let wrongComponent = RefusalReason(.wrongComponent)
    /// The security counter of the image is below the lowest that the device accepts.
    public static let downgrade = RefusalReason(.downgrade)
    /// The image has expired.
    public static let expired = RefusalReason(.expired)
    /// The device can't decompress, patch or unseal the image.
    public static let unsupportedEncoding = RefusalReason(.unsupportedEncoding)
    /// The image is a patch against an image that is not the device's current one.
    public static let wrongBase = RefusalReason(.wrongBase)
    /// The image is sealed for other devices.
    public static let wrongRecipient = RefusalReason(.wrongRecipient)
    /// The stored image does not match the SHA-256 in its manifest.
    public static let imageMismatch = RefusalReason(.imageMismatch)
    /// The sender has withdrawn the transfer.
    public static let withdrawn = RefusalReason(.withdrawn)
    /// The application or the user cancelled the transfer.
    public static let cancelled = RefusalReason(.cancelled)
    /// The peer received nothing from this side for too long.
    public static let silent = RefusalReason(.silent)
    /// The peer received nothing new from this side for too long.
    public static let stalled = RefusalReason(.stalled)
    /// The peers use different versions of the protocol.
    public static let version = RefusalReason(.version)
}
