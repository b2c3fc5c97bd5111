/// Why a peer refused an operation on an attribute (Bluetooth Core, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Error, Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The code on the wire; 0x80 to 0x9F belong to the application.
    public let rawValue: UInt8

    /// Any code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is no attribute with that handle.
    public static let invalidHandle = ATTError(rawValue: 0x01)
    /// The attribute can't be read.
    public static let readNotPermitted = ATTError(rawValue: 0x02)
    /// The attribute can't be written.
    public static let writeNotPermitted = ATTError(rawValue: 0x03)
    /// The peer has to be paired with a person's confirmation.
    public static let insufficientAuthentication = ATTError(rawValue: 0x05)
    /// The peer does not do that.
    public static let requestNotSupported = ATTError(rawValue: 0x06)
    /// The value ends before that offset.
    public static let invalidOffset = ATTError(rawValue: 0x07)
    /// The application does not allow it.
    public static let insufficientAuthorization = ATTError(rawValue: 0x08)
    /// The value is too long or too short.
    public static let invalidAttributeValueLength = ATTError(rawValue: 0x0D)
    /// Anything that has no code of its own; also a link that was lost meanwhile.
    public static let unlikelyError = ATTError(rawValue: 0x0E)
    /// The link has to be encrypted.
    public static let insufficientEncryption = ATTError(rawValue: 0x0F)
    /// The peer has no memory for it.
    public static let insufficientResources = ATTError(rawValue: 0x11)
    /// The peer's services have changed since they were looked for.
    public static let databaseOutOfSync = ATTError(rawValue: 0x12)
    /// The value is not one that the attribute can have.
    public static let valueNotAllowed = ATTError(rawValue: 0x13)
    /// The peer was not set up for it.
    public static let improperlyConfigured = ATTError(rawValue: 0xFD)
    /// The peer is at it already.
    public static let procedureInProgress = ATTError(rawValue: 0xFE)

    private static let names: [UInt8: String] = [
        0x01: "invalid handle", 0x02: "read not permitted", 0x03: "write not permitted",
        0x04: "invalid PDU", 0x05: "insufficient authentication", 0x06: "request not supported",
        0x07: "invalid offset", 0x08: "insufficient authorization", 0x09: "prepare queue full",
        0x0A: "attribute not found", 0x0B: "attribute not long",
        0x0C: "insufficient encryption key size", 0x0D: "invalid attribute value length",
        0x0E: "unlikely error", 0x0F: "insufficient encryption",
        0x10: "unsupported group type", 0x11: "insufficient resources",
        0x12: "database out of sync", 0x13: "value not allowed",
        0xFC: "write request rejected", 0xFD: "improperly configured",
        0xFE: "procedure already in progress", 0xFF: "out of range",
    ]

    /// Its name and code, such as `read not permitted (0x02)`.
    public var description: String {
        let name =
            Self.names[rawValue]
            ?? ((0x80...0x9F).contains(rawValue) ? "application error" : "reserved error")
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "\(name) (0x\(digits.count == 1 ? "0" : "")\(digits))"
    }
}
