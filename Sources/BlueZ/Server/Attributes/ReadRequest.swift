public import DBus

/// A peer's read of a value of ours.
public struct ReadRequest: Sendable, Hashable {
    /// The daemon's object for the peer, `/org/bluez/hci0/dev_…`; `nil` if it does not say.
    public let device: ObjectPath?
    /// From which byte on the value is asked for.
    public let offset: Int
    /// The MTU of the link in bytes, if the daemon says it.
    public let mtu: Int?
    /// The kind of the link, such as `LE`, if the daemon says it.
    public let link: String?

    /// What the daemon gives with a read.
    init(_ options: [String: BusValue]) {
        device = options["device"]?.objectPath
        offset = options["offset"]?.integer ?? 0
        mtu = options["mtu"]?.integer
        link = options["link"]?.text
    }

    /// The part of the whole value that is asked for.
    func part(of value: [UInt8]) -> Result<[UInt8], ATTError> {
        guard value.count <= LocalReading.byteCountMax else {
            return .failure(.invalidAttributeValueLength)
        }
        guard (0...value.count).contains(offset) else { return .failure(.invalidOffset) }
        return .success(offset == 0 ? value : Array(value[offset...]))
    }
}
