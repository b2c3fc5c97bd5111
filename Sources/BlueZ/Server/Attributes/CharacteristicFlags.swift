/// What can be done with a characteristic of ours, and what a link needs for it.
///
/// Put in what the peer may do. The needs of the link (`encrypt…`, `secure…`) come in place of the
/// plain flag or beside it: `[.write, .encryptWrite]`. A daemon refuses a whole application for
/// one flag that its release does not know; 5.66 knows all of these.
public struct CharacteristicFlags: OptionSet, Sendable, Hashable {
    /// One bit for each name below.
    public let rawValue: UInt32

    /// Any bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// In advertisements, as service data.
    public static let broadcast = bit(0)
    /// Reads.
    public static let read = bit(1)
    /// Writes that nobody answers. The daemon then confirms every write of this characteristic
    /// at once, those with response included, whatever the handler answers.
    public static let writeWithoutResponse = bit(2)
    /// Writes that the handler answers.
    public static let write = bit(3)
    /// Values that we send.
    public static let notify = bit(4)
    /// Values that we send and the peer confirms.
    public static let indicate = bit(5)
    /// Writes with a signature in place of encryption.
    public static let authenticatedSignedWrites = bit(6)
    /// There is a descriptor with further properties.
    public static let extendedProperties = bit(7)
    /// Writes that are sent back for comparison before they count.
    public static let reliableWrite = bit(8)
    /// The peer may write the descriptor that describes the characteristic to people.
    public static let writableAuxiliaries = bit(9)
    /// Reads over an encrypted link.
    public static let encryptRead = bit(10)
    /// Writes over an encrypted link.
    public static let encryptWrite = bit(11)
    /// Notifications over an encrypted link.
    public static let encryptNotify = bit(12)
    /// Indications over an encrypted link.
    public static let encryptIndicate = bit(13)
    /// Reads over a link whose pairing a person confirmed.
    public static let encryptAuthenticatedRead = bit(14)
    /// Writes over a link whose pairing a person confirmed.
    public static let encryptAuthenticatedWrite = bit(15)
    /// Notifications over a link whose pairing a person confirmed.
    public static let encryptAuthenticatedNotify = bit(16)
    /// Indications over a link whose pairing a person confirmed.
    public static let encryptAuthenticatedIndicate = bit(17)
    /// Reads over a link paired by LE Secure Connections.
    public static let secureRead = bit(18)
    /// Writes over a link paired by LE Secure Connections.
    public static let secureWrite = bit(19)
    /// Notifications over a link paired by LE Secure Connections.
    public static let secureNotify = bit(20)
    /// Indications over a link paired by LE Secure Connections.
    public static let secureIndicate = bit(21)
    /// The handlers are asked before a prepared write is queued.
    public static let authorize = bit(22)

    private static func bit(_ index: UInt32) -> CharacteristicFlags {
        CharacteristicFlags(rawValue: 1 << index)
    }

    /// In the order of the bits.
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

    /// The daemon's names of them; bits without a meaning have none.
    public var names: [String] {
        Self.allNames.indices.filter { rawValue & (1 << UInt32($0)) != 0 }
            .map { Self.allNames[$0] }
    }
}
