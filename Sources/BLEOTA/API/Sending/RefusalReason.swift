package import BLEOTAWire

/// Why a receiver does not take an image: what it tells the sender, and the sender its application.
///
/// A reason that this release does not know is kept as it came: a peer may be newer.
public struct RefusalReason: Sendable, Hashable, CustomStringConvertible {
    /// The same in the protocol.
    package let reason: Reason

    package init(_ reason: Reason) { self.reason = reason }

    /// The name in the protocol's registry, such as `wrongHardware`; of an unknown reason its
    /// number.
    public var description: String { reason.name ?? "reason \(reason.rawValue)" }

    /// Another transfer holds the store.
    public static let busy = RefusalReason(.busy)
    /// The image does not fit.
    public static let noSpace = RefusalReason(.noSpace)
    /// The store can't read or write.
    public static let storeFailed = RefusalReason(.storeFailed)
    /// The image, its manifest or its blocks exceed a limit.
    public static let tooLarge = RefusalReason(.tooLarge)
    /// The device does not take images at this time.
    public static let notNow = RefusalReason(.notNow)
    /// The device takes signed images only.
    public static let unsigned = RefusalReason(.unsigned)
    /// No signature is by a key that the device trusts.
    public static let untrustedKey = RefusalReason(.untrustedKey)
    /// A signature by a trusted key is not one of this image.
    public static let badSignature = RefusalReason(.badSignature)
    /// The image is for other hardware, or does not say for which.
    public static let wrongHardware = RefusalReason(.wrongHardware)
    /// The image is for another part of the device.
    public static let wrongComponent = RefusalReason(.wrongComponent)
    /// The security counter is below what the device takes.
    public static let downgrade = RefusalReason(.downgrade)
    /// The image has expired.
    public static let expired = RefusalReason(.expired)
    /// The device can't decompress, patch or open the image.
    public static let unsupportedEncoding = RefusalReason(.unsupportedEncoding)
    /// The image is a patch against another image than the device's current one.
    public static let wrongBase = RefusalReason(.wrongBase)
    /// The image is sealed for other devices.
    public static let wrongRecipient = RefusalReason(.wrongRecipient)
    /// What the device stored does not have the hash of the image.
    public static let imageMismatch = RefusalReason(.imageMismatch)
    /// The sender takes the transfer back.
    public static let withdrawn = RefusalReason(.withdrawn)
    /// The application or the user stopped it.
    public static let cancelled = RefusalReason(.cancelled)
    /// The peer waited too long for this side.
    public static let silent = RefusalReason(.silent)
    /// The peer got nothing new from this side for too long.
    public static let stalled = RefusalReason(.stalled)
    /// The peers speak different versions of the protocol.
    public static let version = RefusalReason(.version)
}
