/// What this machine tells everybody around.
///
/// Most adapters send 31 bytes, and 31 more when they are asked; see ``RunningAdvertisement``.
public struct Advertisement: Sendable, Hashable {
    /// Whether others may connect.
    public enum Kind: String, Sendable, Hashable {
        /// They may.
        case peripheral
        /// They can only listen.
        case broadcast
    }

    /// What the daemon adds on its own.
    public enum Addition: String, Sendable, Hashable {
        /// The power of the transmitter.
        case txPower = "tx-power"
        /// What the machine looks like, as the daemon knows it.
        case appearance
        /// The adapter's own name.
        case localName = "local-name"
    }

    /// Whether others may connect.
    public var kind: Kind
    /// The name to show; the daemon sends it when others ask.
    public var localName: String?
    /// The services that this machine offers.
    public var services: [BluetoothUUID]
    /// The services that it looks for in others.
    public var wantedServices: [BluetoothUUID]
    /// Data of manufacturers by company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Data of services.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// Whether scans that look for discoverable devices find it; `nil` for what the adapter is set
    /// to. Not for broadcasts.
    public var isDiscoverable: Bool?
    /// What the machine looks like (Bluetooth assigned numbers, 2.6).
    public var appearance: UInt16?
    /// What the daemon adds on its own.
    public var additions: Set<Addition>
    /// How often to send, between 20 ms and 10.24 s; `nil` for the daemon's choice. Old releases
    /// heed it only when they run with experimental interfaces.
    public var interval: ClosedRange<Duration>?
    /// How long to send, in whole seconds up to 65,535; `nil` for as long as it is not stopped.
    public var lifetime: Duration?

    /// An advertisement of nothing, unless said otherwise.
    public init(
        _ kind: Kind = .peripheral,
        localName: String? = nil,
        services: [BluetoothUUID] = [],
        wantedServices: [BluetoothUUID] = [],
        manufacturerData: [UInt16: [UInt8]] = [:],
        serviceData: [BluetoothUUID: [UInt8]] = [:],
        isDiscoverable: Bool? = nil,
        appearance: UInt16? = nil,
        additions: Set<Addition> = [],
        interval: ClosedRange<Duration>? = nil,
        lifetime: Duration? = nil
    ) {
        self.kind = kind
        self.localName = localName
        self.services = services
        self.wantedServices = wantedServices
        self.manufacturerData = manufacturerData
        self.serviceData = serviceData
        self.isDiscoverable = isDiscoverable
        self.appearance = appearance
        self.additions = additions
        self.interval = interval
        self.lifetime = lifetime
    }

    /// What is wrong with it, whatever the adapter can do.
    func check() throws(BlueZError) {
        if kind == .broadcast, isDiscoverable != nil {
            throw .invalid("a broadcast is not discoverable")
        }
        if let localName, localName.utf8.contains(0) { throw .invalid("a name with a NUL") }
        if localName != nil, additions.contains(.localName) {
            throw .invalid("a name of its own and the adapter's name")
        }
        if let interval,
            interval.lowerBound < .milliseconds(20)
                || interval.upperBound > .milliseconds(10_240)
        {
            throw .invalid("an interval is between 20 ms and 10.24 s")
        }
        if let lifetime, lifetime < .seconds(1) || lifetime > .seconds(65_535) {
            throw .invalid("a lifetime is between 1 and 65,535 seconds")
        }
    }
}
