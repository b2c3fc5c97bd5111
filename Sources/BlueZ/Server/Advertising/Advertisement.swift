/// The data that this machine advertises.
///
/// Most adapters send at most 31 bytes, plus 31 bytes in the scan response; see
/// ``RunningAdvertisement``.
public struct Advertisement: Sendable, Hashable {
    /// Whether an advertisement accepts connections.
    public enum Kind: String, Sendable, Hashable {
        /// Peers may connect.
        case peripheral
        /// Peers can only listen.
        case broadcast
    }

    /// A field that the daemon adds by itself.
    public enum Addition: String, Sendable, Hashable {
        /// The transmit power.
        case txPower = "tx-power"
        /// The appearance that the daemon is configured with.
        case appearance
        /// The adapter's own name.
        case localName = "local-name"
    }

    /// Whether peers may connect.
    public var kind: Kind
    /// The device name, which the daemon puts into the scan response.
    public var localName: String?
    /// The services that this machine offers.
    public var services: [BluetoothUUID]
    /// The services that this machine solicits from peers.
    public var wantedServices: [BluetoothUUID]
    /// Manufacturer data by company identifier.
    public var manufacturerData: [UInt16: [UInt8]]
    /// Service data by service UUID.
    public var serviceData: [BluetoothUUID: [UInt8]]
    /// Whether this machine is found by scans for discoverable devices; `nil` to use the
    /// adapter's setting. Must be `nil` for broadcasts.
    public var isDiscoverable: Bool?
    /// The appearance value (Bluetooth Assigned Numbers, section 2.6).
    public var appearance: UInt16?
    /// The fields that the daemon adds by itself.
    public var additions: Set<Addition>
    /// The range of the advertising interval, within 20 ms to 10.24 s; `nil` for the daemon's
    /// default. Old releases apply it only if they run with experimental interfaces.
    public var interval: ClosedRange<Duration>?
    /// The duration of advertising in whole seconds, 1 to 65,535; `nil` to advertise until
    /// stopped.
    public var lifetime: Duration?

    /// Creates an advertisement, which is empty by default.
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

    /// Throws an error for settings that no adapter supports.
    func check() throws(BlueZError) {
        if kind == .broadcast, isDiscoverable != nil {
            throw .invalid("a broadcast with a discoverable flag")
        }
        if let localName, localName.utf8.contains(0) { throw .invalid("a name that contains NUL") }
        if localName != nil, additions.contains(.localName) {
            throw .invalid("both a local name and the adapter's name")
        }
        if let interval,
            interval.lowerBound < .milliseconds(20)
                || interval.upperBound > .milliseconds(10_240)
        {
            throw .invalid("an interval must be 20 ms to 10.24 s")
        }
        if let lifetime, lifetime < .seconds(1) || lifetime > .seconds(65_535) {
            throw .invalid("a lifetime must be 1 to 65,535 seconds")
        }
    }
}
