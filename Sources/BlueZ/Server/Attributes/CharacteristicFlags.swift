/// The permitted operations of a local characteristic, and the security that they require.
///
/// Specify each operation that a peer may perform. A security flag (`encrypt…`, `secure…`)
/// replaces the plain flag or is added to it: `[.write, .encryptWrite]`. A daemon refuses a whole
/// application because of a single flag that its release does not support; 5.66 supports all of
/// them.
public struct CharacteristicFlags: OptionSet, Sendable, Hashable {
    /// The flags as bits, one per constant below.
    public let rawValue: UInt32

    /// Creates flags from any bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Broadcasts of the value as service data in advertisements.
    public static let broadcast = bit(0)
    /// Reads.
    public static let read = bit(1)
    /// Writes without response. With this flag, the daemon confirms every write to this
    /// characteristic immediately, even one with response, regardless of the handler's result.
    public static let writeWithoutResponse = bit(2)
    /// Writes with response, which the handler answers.
    public static let write = bit(3)
    /// Notifications of the value to subscribers.
    public static let notify = bit(4)
    /// Indications of the value, which the peer confirms.
    public static let indicate = bit(5)
    /// Signed writes as a replacement for encryption.
    public static let authenticatedSignedWrites = bit(6)
    /// The presence of a Characteristic Extended Properties descriptor.
    public static let extendedProperties = bit(7)
    /// Reliable writes, which are echoed for verification before they are executed.
    public static let reliableWrite = bit(8)
    /// Writes by the peer to the user description descriptor.
    public static let writableAuxiliaries = bit(9)
    /// Reads over an encrypted link.
    public static let encryptRead = bit(10)
    /// Writes over an encrypted link.
    public static let encryptWrite = bit(11)
    /// Notifications over an encrypted link.
    public static let encryptNotify = bit(12)
    /// Indications over an encrypted link.
    public static let encryptIndicate = bit(13)
    /// Reads over a link with authenticated pairing.
    public static let encryptAuthenticatedRead = bit(14)
    /// Writes over a link with authenticated pairing.
    public static let encryptAuthenticatedWrite = bit(15)
    /// Notifications over a link with authenticated pairing.
    public static let encryptAuthenticatedNotify = bit(16)
    /// Indications over a link with authenticated pairing.
    public static let encryptAuthenticatedIndicate = bit(17)
    /// Reads over a link encrypted with a key from LE Secure Connections pairing.
    public static let secureRead = bit(18)
    /// Writes over a link encrypted with a key from LE Secure Connections pairing.
    public static let secureWrite = bit(19)
    /// Notifications over a link encrypted with a key from LE Secure Connections pairing.
    public static let secureNotify = bit(20)
    /// Indications over a link encrypted with a key from LE Secure Connections pairing.
    public static let secureIndicate = bit(21)
    /// Prepared writes only after the handler has authorized them.
    public static let authorize = bit(22)

    private static func bit(_ index: UInt32) -> CharacteristicFlags {
        CharacteristicFlags(rawValue: 1 << index)
    }

    /// The daemon's names, in the order of the bits.
    private static let allNames = [
        "broadcast", "read", "write-without-response", "write", "notify", "indicate",
        "authenticated-signed-writes", "extended-properties", "reliable-write",
        "writable-auxiliaries", "encrypt-read", "encrypt-write", "encrypt-notify",
        "encrypt-indicate", "encrypt-authenticated-read", "encrypt-authenticated-write",
        "encrypt-authenticated-notify", "encrypt-authenticated-indicate", "secure-read",
        "secure-write", "secure-notify", "secure-indicate", "authorize",
    ]

    static let readable: CharacteristicFlags = [
        .read, .encryptRead, .encryptAuthenticatedRead, .secureRead,
    ]

    static let writable: CharacteristicFlags = [
        .write, .writeWithoutResponse, .authenticatedSignedWrites, .reliableWrite, .encryptWrite,
        .encryptAuthenticatedWrite, .secureWrite,
    ]

    static let notifiable: CharacteristicFlags = [
        .notify, .indicate, .encryptNotify, .encryptIndicate, .encryptAuthenticatedNotify,
        .encryptAuthenticatedIndicate, .secureNotify, .secureIndicate,
    ]

    static let indicatable: CharacteristicFlags = [
        .indicate, .encryptIndicate, .encryptAuthenticatedIndicate, .secureIndicate,
    ]

    /// The daemon's names for the flags; undefined bits are ignored.
    public var names: [String] {
        Self.allNames.indices.filter { rawValue & (1 << UInt32($0)) != 0 }
            .map { Self.allNames[$0] }
    }
}
