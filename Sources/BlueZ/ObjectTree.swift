import DBus

/// What the daemon has told of its objects: adapters, devices, services and so on.
struct ObjectTree {
    typealias Properties = [String: BusValue]

    private(set) var objects: [ObjectPath: [String: Properties]] = [:]
    /// Why the links to devices ended, until there is a link again.
    private var disconnectionReasons: [ObjectPath: DisconnectionReason] = [:]
    private var revisions: [ObjectPath: UInt64] = [:]
    private var lastRevision: UInt64 = 0

    /// The properties of an interface of an object; `nil` if there is no such thing.
    func properties(_ path: ObjectPath, _ interface: String) -> Properties? {
        objects[path]?[interface]
    }

    /// One property.
    func property(_ path: ObjectPath, _ interface: String, _ name: String) -> BusValue? {
        objects[path]?[interface]?[name]
    }

    /// Another number after each change of an object; `nil` if there is none.
    func revision(of path: ObjectPath) -> UInt64? { revisions[path] }

    private mutating func revise(_ path: ObjectPath) {
        lastRevision += 1
        revisions[path] = objects[path] == nil ? nil : lastRevision
    }

    /// Why the last link to a device ended.
    func disconnectionReason(of device: ObjectPath) -> DisconnectionReason {
        disconnectionReasons[device] ?? .unknown
    }

    /// The objects that have an interface, in the order of their paths.
    func paths(with interface: String, below ancestor: ObjectPath = .root) -> [ObjectPath] {
        objects.filter { $0.value[interface] != nil && $0.key.isBelow(ancestor) }
            .map(\.key).sorted()
    }

    /// Takes the answer of GetManagedObjects in place of everything known.
    mutating func replace(with managed: BusValue?) {
        removeAll()
        for entry in managed?.entries ?? [] {
            if let path = entry.key.objectPath { add(path, entry.value) }
        }
    }

    /// Takes what is in an answer of GetManagedObjects and not known, or known otherwise; returns
    /// that.
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

    /// Takes the interfaces of InterfacesAdded.
    mutating func merge(_ path: ObjectPath, _ interfaces: [String: Properties]) {
        for (name, properties) in interfaces {
            objects[path, default: [:]][name] = properties
        }
        revise(path)
    }

    /// Takes the names of InterfacesRemoved.
    mutating func remove(_ path: ObjectPath, _ interfaces: [String]) {
        for name in interfaces { objects[path]?.removeValue(forKey: name) }
        if objects[path]?.isEmpty == true { objects.removeValue(forKey: path) }
        if objects[path] == nil { disconnectionReasons.removeValue(forKey: path) }
        revise(path)
    }

    /// Takes PropertiesChanged.
    mutating func change(
        _ path: ObjectPath,
        _ interface: String,
        _ changed: Properties,
        invalidated: [String]
    ) {
        // Of an object that was never announced nothing is kept: it may be gone already.
        guard objects[path]?[interface] != nil else { return }
        for (name, value) in changed { objects[path]?[interface]?[name] = value }
        for name in invalidated { objects[path]?[interface]?.removeValue(forKey: name) }
        if interface == Interface.device, changed["Connected"]?.flag == true {
            disconnectionReasons.removeValue(forKey: path)
        }
        revise(path)
    }

    /// Takes Disconnected, which comes just before the device is said to be connected no more.
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
