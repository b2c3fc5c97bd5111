import DBus

/// The daemon's objects as last reported: adapters, devices, services and so on.
struct ObjectTree {
    typealias Properties = [String: BusValue]

    private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    /// The reasons why the links to devices ended, kept until the device reconnects.
    private var disconnectionReasons: [ObjectPath: DisconnectionReason] = [:]
    private var revisions: [ObjectPath: UInt64] = [:]
    private var lastRevision: UInt64 = 0

    /// The properties of one interface of an object; `nil` if the object or the interface is
    /// missing.
    func properties(_ path: ObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]
    }

    /// The value of one property; `nil` if it is missing.
    func property(_ path: ObjectPath, _ interface: String, _ name: String) -> BusValue? {
        objects[path]?[interface]?[name]
    }

    /// A number that changes with each change of an object; `nil` if there is no such object.
    func revision(of path: ObjectPath) -> UInt64? { revisions[path] }

    private mutating func revise(_ path: ObjectPath) {
        lastRevision += 1
        revisions[path] = objects[path] == nil ? nil : lastRevision
    }

    /// The reason why the most recent link to a device ended.
    func disconnectionReason(of device: ObjectPath) -> DisconnectionReason {
        disconnectionReasons[device] ?? .unknown
    }

    /// The objects that have an interface, sorted by path.
    func paths(with interface: String, below ancestor: ObjectPath = .root) -> [ObjectPath] {
        objects.filter { $0.value[interface] != nil && $0.key.isBelow(ancestor) }
            .map(\.key).sorted()
    }

    /// Replaces all objects with those in a reply to GetManagedObjects.
    mutating func replace(with managed: BusValue?) {
        removeAll()
        for entry in managed?.entries ?? [] {
            if let path = entry.key.objectPath { add(path, entry.value) }
        }
    }

    /// Merges the objects in a reply to GetManagedObjects that are new or have changed, and
    /// returns them.
    mutating func reconcile(
        with managed: BusValue?,
        below ancestor: ObjectPath
    ) -> [(path: ObjectPath, interfaces: [String: Properties])] {
        var news: [(path: ObjectPath, interfaces: [String: Properties])] = []
        for entry in managed?.entries ?? [] {
            guard let path = entry.key.objectPath, path.isBelow(ancestor) else { continue }
            var told = ObjectTree()
            told.add(path, entry.value)
            guard let interfaces = told.objects[path], interfaces != objects[path] else { continue }
            merge(path, interfaces)
            news.append((path, interfaces))
        }
        return news
    }

    private mutating func add(_ path: ObjectPath, _ interfaces: BusValue) {
        for interface in interfaces.entries ?? [] {
            guard let name = interface.key.text else { continue }
            objects[path, default: [:]][name] = interface.value.properties ?? [:]
        }
        revise(path)
    }

    /// Applies the signal InterfacesAdded.
    mutating func merge(_ path: ObjectPath, _ interfaces: [String: Properties]) {
        for (name, properties) in interfaces {
            objects[path, default: [:]][name] = properties
        }
        revise(path)
    }

    /// Applies the signal InterfacesRemoved.
    mutating func remove(_ path: ObjectPath, _ interfaces: [String]) {
        for name in interfaces { objects[path]?.removeValue(forKey: name) }
        if objects[path]?.isEmpty == true { objects.removeValue(forKey: path) }
        if objects[path] == nil { disconnectionReasons.removeValue(forKey: path) }
        revise(path)
    }

    /// Applies the signal PropertiesChanged.
    mutating func change(
        _ path: ObjectPath,
        _ interface: String,
        _ changed: Properties,
        invalidated: [String]
    ) {
        // Changes to an unknown object are ignored, because the object may already be gone.
        guard objects[path]?[interface] != nil else { return }
        for (name, value) in changed { objects[path]?[interface]?[name] = value }
        for name in invalidated { objects[path]?[interface]?.removeValue(forKey: name) }
        if interface == Interface.device, changed["Connected"]?.flag == true {
            disconnectionReasons.removeValue(forKey: path)
        }
        revise(path)
    }

    /// Applies the signal Disconnected, which the daemon sends just before it changes
    /// `Connected`.
    mutating func disconnect(_ path: ObjectPath, _ reason: DisconnectionReason) {
        guard objects[path] != nil else { return }
        disconnectionReasons[path] = reason
        revise(path)
    }

    mutating func removeAll() {
        objects = [:]
        disconnectionReasons = [:]
        revisions = [:]
    }
}
