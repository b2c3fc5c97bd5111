public import DBus

/// A peer's request to read a local value.
public struct ReadRequest: Sendable, Hashable {
    /// The path of the peer's object, `/org/bluez/hci0/dev_…`; `nil` if the daemon does not
    /// report it.
    public let device: ObjectPath?
    /// The index of the first byte to return.
    public let offset: Int
    /// The link's MTU in bytes; `nil` if the daemon does not report it.
    public let mtu: Int?
    /// The type of the link, such as `LE`; `nil` if the daemon does not report it.
    public let link: String?

    /// Parses the options of the daemon's method call.
    init(_ options: [String: BusValue]) {
        device = options["device"]?.objectPath
        offset = options["offset"]?.integer ?? 0
        mtu = options["mtu"]?.integer
        link = options["link"]?.text
    }

    /// Returns the requested part of the whole value.
    func part(of value: [UInt8]) -> Result<[UInt8], ATTError> {
        guard value.count <= LocalReading.byteCountMax else {
            return .failure(.invalidAttributeValueLength)
        }
        guard (0...value.count).contains(offset) else { return .failure(.invalidOffset) }
        return .success(offset == 0 ? value : Array(value[offset...]))
    }
}
