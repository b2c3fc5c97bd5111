/// Which devices a scan tells of.
public struct ScanFilter: Sendable, Hashable {
    /// Devices that advertise one of these services, or data of one; all if there is none here. Of
    /// a device that was connected before, the daemon may tell only those that it had then, but
    /// always the data.
    public var services: [BluetoothUUID]
    /// Devices whose name begins so; all if `nil`.
    public var namePrefix: String?
    /// Devices at least this strong, in dBm; all if `nil`.
    public var weakestRSSI: Int?
    /// Whether each advertisement is told, or only what is new.
    public var tellsDuplicates: Bool

    /// All devices, unless said otherwise.
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

    /// What all of these admit, and perhaps more.
    init(joining filters: [ScanFilter]) {
        let admitsAll = filters.contains { $0.services.isEmpty }
        self.init(
            services: admitsAll ? [] : Set(filters.flatMap(\.services)).sorted(),
            weakestRSSI: filters.contains { $0.weakestRSSI == nil }
                ? nil : filters.compactMap(\.weakestRSSI).min(),
            tellsDuplicates: filters.contains(where: \.tellsDuplicates)
        )
    }

    /// The daemon joins the filters of all its clients, so that each has to look again.
    func admits(_ found: Discovery) -> Bool {
        if !services.isEmpty, !services.contains(where: found.tells(of:)) { return false }
        if let namePrefix, found.name?.hasPrefix(namePrefix) != true { return false }
        if let weakestRSSI, let rssi = found.rssi, rssi < weakestRSSI { return false }
        return true
    }
}
