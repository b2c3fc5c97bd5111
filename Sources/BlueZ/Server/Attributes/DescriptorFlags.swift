/// The permitted operations of a local descriptor, and the security that they require.
public struct DescriptorFlags: OptionSet, Sendable, Hashable {
    /// The flags as bits, one per constant below.
    public let rawValue: UInt32

    /// Creates flags from any bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reads.
    public static let read = bit(0)
    /// Writes.
    public static let write = bit(1)
    /// Reads over an encrypted link.
    public static let encryptRead = bit(2)
    /// Writes over an encrypted link.
    public static let encryptWrite = bit(3)
    /// Reads over a link with authenticated pairing.
    public static let encryptAuthenticatedRead = bit(4)
    /// Writes over a link with authenticated pairing.
    public static let encryptAuthenticatedWrite = bit(5)
    /// Reads over a link paired with LE Secure Connections.
    public static let secureRead = bit(6)
    /// Writes over a link paired with LE Secure Connections.
    public static let secureWrite = bit(7)
    /// Prepared writes only after the handler has authorized them.
    public static let authorize = bit(8)

    private static func bit(_ index: UInt32) -> DescriptorFlags {
        DescriptorFlags(rawValue: 1 << index)
    }

    /// The daemon's names, in the order of the bits.
    private static let allNames = [
        "read", "write", "encrypt-read", "encrypt-write", "encrypt-authenticated-read",
        "encrypt-authenticated-write", "secure-read", "secure-write", "authorize",
    ]

    static let readable: DescriptorFlags = [
        .read, .encryptRead, .encryptAuthenticatedRead, .secureRead,
    ]

    static let writable: DescriptorFlags = [
        .write, .encryptWrite, .encryptAuthenticatedWrite, .secureWrite,
    ]

    /// The daemon's names for the flags; undefined bits are ignored.
    public var names: [String] {
        Self.allNames.indices.filter { rawValue & (1 << UInt32($0)) != 0 }
            .map { Self.allNames[$0] }
    }
}
