/// The criteria that a device must meet for a scan to report it.
public struct ScanFilter: Sendable, Hashable {
    /// A device must advertise at least one of these services, or data for one of them; an empty
    /// array admits all devices. For a device that was connected before, the daemon may report only
    /// the services known from that time, but it always reports service data.
    public var services: [BluetoothUUID]
    /// The required prefix of a device's name; `nil` admits all devices.
    public var namePrefix: String?
    /// The minimum signal strength, in dBm; `nil` admits all devices.
    public var weakestRSSI: Int?
    /// Whether every advertisement is reported, instead of only changes.
    public var tellsDuplicates: Bool

    /// Creates a filter, which by default admits all devices.
    public init(
        services: [BluetoothUUID] = [],
        namePrefix: String? = nil,
        weakestRSSI: Int? = nil,
        tellsDuplicates: Bool = false
    ) {
        self.services = services
        self.namePrefix = namePrefix
        self.weakestRSSI = weakestRSSI
        self.tellsDuplicates = tellsDuplicates
    }

    /// Creates a filter that admits at least all devices that any of these filters admits.
    init(joining filters: [ScanFilter]) {
        let admitsAll = filters.contains { $0.services.isEmpty }
        self.init(
            services: admitsAll ? [] : Set(filters.flatMap(\.services)).sorted(),
            weakestRSSI: filters.contains { $0.weakestRSSI == nil }
                ? nil : filters.compactMap(\.weakestRSSI).min(),
            tellsDuplicates: filters.contains(where: \.tellsDuplicates)
        )
    }

    /// Whether the filter admits a discovery. The daemon merges the filters of all its clients,
    /// so each client must check again.
    func admits(_ found: Discovery) -> Bool {
        if !services.isEmpty, !services.contains(where: found.tells(of:)) { return false }
        if let namePrefix, found.name?.hasPrefix(namePrefix) != true { return false }
        if let weakestRSSI, let rssi = found.rssi, rssi < weakestRSSI { return false }
        return true
    }
}
