/// The reason a session ended, as sent in RESULT and CLOSE (spec/registry.md).
///
/// The peer may use a newer version of the registry, so unknown reasons are kept unchanged.
public struct Reason: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The encoded number, with the class of the reason in its high byte.
    public let rawValue: UInt16

    /// Creates a reason. Every 16-bit number is valid.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The image is verified and current; in CLOSE: RESULT has arrived.
    public static var verified: Reason { Reason(rawValue: 0x0000) }

    /// The receiver does not support the protocol version.
    public static var version: Reason { Reason(rawValue: 0x0101) }
    /// An ACK contradicts itself or the object.
    public static var malformedAccount: Reason { Reason(rawValue: 0x0102) }
    /// The receiver is not in the session that the frame names.
    public static var noSession: Reason { Reason(rawValue: 0x0103) }
    /// The manifest violates the rules of its format.
    public static var malformedManifest: Reason { Reason(rawValue: 0x0104) }
    /// The manifest has an unknown attribute whose type has bit 7 set.
    public static var unknownAttribute: Reason { Reason(rawValue: 0x0105) }

    /// No valid frame arrived within the silence limit.
    public static var silent: Reason { Reason(rawValue: 0x0201) }
    /// No progress was made within the progress limit.
    public static var stalled: Reason { Reason(rawValue: 0x0202) }

    /// The store is in use by another transfer.
    public static var busy: Reason { Reason(rawValue: 0x0301) }
    /// The image does not fit in the store, or its room is used up while blocks are written.
    public static var noSpace: Reason { Reason(rawValue: 0x0302) }
    /// The store failed to read or write.
    public static var storeFailed: Reason { Reason(rawValue: 0x0303) }
    /// The image, its manifest or its blocks exceed a limit.
    public static var tooLarge: Reason { Reason(rawValue: 0x0304) }
    /// The sender can no longer read the image.
    public static var sourceFailed: Reason { Reason(rawValue: 0x0305) }

    /// The manifest does not match the one announced in OPEN.
    public static var manifestMismatch: Reason { Reason(rawValue: 0x0401) }
    /// A block does not match its hash in the manifest.
    public static var blockMismatch: Reason { Reason(rawValue: 0x0402) }
    /// The image, encoded or decoded, does not match its hash; in CLOSE: the receipt is wrong.
    public static var imageMismatch: Reason { Reason(rawValue: 0x0403) }

    /// The image has no signature, but the policy requires one.
    public static var unsigned: Reason { Reason(rawValue: 0x0501) }
    /// The device refuses the image at present.
    public static var notNow: Reason { Reason(rawValue: 0x0502) }
    /// None of the signatures is by a key that the receiver trusts.
    public static var untrustedKey: Reason { Reason(rawValue: 0x0503) }
    /// A signature names a trusted key, but is not valid.
    public static var badSignature: Reason { Reason(rawValue: 0x0504) }
    /// The image is for other hardware, or does not state its hardware.
    public static var wrongHardware: Reason { Reason(rawValue: 0x0505) }
    /// The image is for another component of the device.
    public static var wrongComponent: Reason { Reason(rawValue: 0x0506) }
    /// The security counter is below the lowest that the device accepts.
    public static var downgrade: Reason { Reason(rawValue: 0x0507) }
    /// The image has expired.
    public static var expired: Reason { Reason(rawValue: 0x0508) }

    /// The receiver cannot decode the image.
    public static var unsupportedEncoding: Reason { Reason(rawValue: 0x0509) }
    /// The image is a patch, and its base is not the receiver's current image.
    public static var wrongBase: Reason { Reason(rawValue: 0x050A) }
    /// The image is sealed, and none of the receiver's keys opens it.
    public static var wrongRecipient: Reason { Reason(rawValue: 0x050B) }
    /// The device holds most blocks of the unencoded image, and prefers that form.
    public static var mostlyHeld: Reason { Reason(rawValue: 0x050C) }

    /// The sender has no image with the requested name.
    public static var noSuchObject: Reason { Reason(rawValue: 0x0601) }

    /// The user or the application ended the session.
    public static var cancelled: Reason { Reason(rawValue: 0x0701) }
    /// The sender withdraws the transfer, and the receiver forgets it.
    public static var withdrawn: Reason { Reason(rawValue: 0x0702) }
}
