/// An error with which a peer refuses an operation on an attribute (Bluetooth Core, Vol 3, Part
/// F, 3.4.1.1).
public struct ATTError: Error, Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    /// The error code on the wire; 0x80 to 0x9F are application errors.
    public let rawValue: UInt8

    /// Creates an error from any code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No attribute has the handle.
    public static let invalidHandle = ATTError(rawValue: 0x01)
    /// The attribute cannot be read.
    public static let readNotPermitted = ATTError(rawValue: 0x02)
    /// The attribute cannot be written.
    public static let writeNotPermitted = ATTError(rawValue: 0x03)
    /// The operation requires authenticated pairing.
    public static let insufficientAuthentication = ATTError(rawValue: 0x05)
    /// The peer does not support the request.
    public static let requestNotSupported = ATTError(rawValue: 0x06)
    /// The offset is past the end of the value.
    public static let invalidOffset = ATTError(rawValue: 0x07)
    /// The application does not permit the operation.
    public static let insufficientAuthorization = ATTError(rawValue: 0x08)
    /// The value is too long or too short.
    public static let invalidAttributeValueLength = ATTError(rawValue: 0x0D)
    /// An error without a code of its own, including the loss of the link during the operation.
    public static let unlikelyError = ATTError(rawValue: 0x0E)
    /// The operation requires an encrypted link.
    public static let insufficientEncryption = ATTError(rawValue: 0x0F)
    /// The peer lacks the resources for the operation.
    public static let insufficientResources = ATTError(rawValue: 0x11)
    /// The peer's services have changed since their discovery.
    public static let databaseOutOfSync = ATTError(rawValue: 0x12)
    /// The attribute does not permit this value.
    public static let valueNotAllowed = ATTError(rawValue: 0x13)
    /// The peer is not configured for the operation.
    public static let improperlyConfigured = ATTError(rawValue: 0xFD)
    /// The same procedure is already in progress on the peer.
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

    /// The error's name and code, such as `read not permitted (0x02)`.
    public var description: String {
        let name =
            Self.names[rawValue]
            ?? ((0x80...0x9F).contains(rawValue) ? "application error" : "reserved error")
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "\(name) (0x\(digits.count == 1 ? "0" : "")\(digits))"
    }
}
