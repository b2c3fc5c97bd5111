/// Why a session ended, in RESULT and CLOSE (spec/registry.md).
///
/// A reason that this version doesn't know is kept as it came: a peer may be newer.
public struct Reason: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    /// The number on the wire: the class in the high byte.
    public let rawValue: UInt16

    /// Any 16-bit number is a reason.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The image is verified and current; in CLOSE: seen.
    public static var verified: Reason { Reason(rawValue: 0x0000) }

    /// The protocol version is not spoken here.
    public static var version: Reason { Reason(rawValue: 0x0101) }
    /// An ACK that can't be true.
    public static var malformedAccount: Reason { Reason(rawValue: 0x0102) }
    /// The frame belongs to no session here.
    public static var noSession: Reason { Reason(rawValue: 0x0103) }
    /// The manifest breaks its rules.
    public static var malformedManifest: Reason { Reason(rawValue: 0x0104) }
    /// The manifest has an attribute that must be understood and is not.
    public static var unknownAttribute: Reason { Reason(rawValue: 0x0105) }

    /// Nothing valid was heard for too long.
    public static var silent: Reason { Reason(rawValue: 0x0201) }
    /// No progress for too long.
    public static var stalled: Reason { Reason(rawValue: 0x0202) }

    /// Another transfer holds the store.
    public static var busy: Reason { Reason(rawValue: 0x0301) }
    /// The image does not fit.
    public static var noSpace: Reason { Reason(rawValue: 0x0302) }
    /// The store can't read or write.
    public static var storeFailed: Reason { Reason(rawValue: 0x0303) }
    /// The image, its manifest or its blocks exceed a limit.
    public static var tooLarge: Reason { Reason(rawValue: 0x0304) }
    /// The image can't be read any more.
    public static var sourceFailed: Reason { Reason(rawValue: 0x0305) }

    /// The manifest is not the one announced.
    public static var manifestMismatch: Reason { Reason(rawValue: 0x0401) }
    /// A block does not have the hash in the manifest.
    public static var blockMismatch: Reason { Reason(rawValue: 0x0402) }
    /// The image, as it travels or decoded, does not have its hash; in CLOSE: its receipt does not.
    public static var imageMismatch: Reason { Reason(rawValue: 0x0403) }

    /// The policy demands a signature.
    public static var unsigned: Reason { Reason(rawValue: 0x0501) }
    /// The device refuses at this time.
    public static var notNow: Reason { Reason(rawValue: 0x0502) }
    /// No signature is by a key that the receiver trusts.
    public static var untrustedKey: Reason { Reason(rawValue: 0x0503) }
    /// A signature by a trusted key is not one of this manifest.
    public static var badSignature: Reason { Reason(rawValue: 0x0504) }
    /// The image is for other hardware, or does not say for which.
    public static var wrongHardware: Reason { Reason(rawValue: 0x0505) }
    /// The image is for another part of the device.
    public static var wrongComponent: Reason { Reason(rawValue: 0x0506) }
    /// The security counter is below what the device takes.
    public static var downgrade: Reason { Reason(rawValue: 0x0507) }
    /// The image has expired.
    public static var expired: Reason { Reason(rawValue: 0x0508) }

    /// The encoding of the image can't be undone here.
    public static var unsupportedEncoding: Reason { Reason(rawValue: 0x0509) }
    /// The image is a patch, and its base is not what is current.
    public static var wrongBase: Reason { Reason(rawValue: 0x050A) }
    /// The image is sealed, and no key of the receiver opens it.
    public static var wrongRecipient: Reason { Reason(rawValue: 0x050B) }
    /// The device has most blocks of the image as it is, and takes that form of it sooner.
    public static var mostlyHeld: Reason { Reason(rawValue: 0x050C) }

    /// Nothing is offered under the requested name.
    public static var noSuchObject: Reason { Reason(rawValue: 0x0601) }

    /// The user or application ended it.
    public static var cancelled: Reason { Reason(rawValue: 0x0701) }
    /// The sender takes the transfer back; nothing of it is to be kept.
    public static var withdrawn: Reason { Reason(rawValue: 0x0702) }
}
