import DBus

extension FakeBlueZ {
    private static let objectManager = "org.freedesktop.DBus.ObjectManager"
    private static let properties = "org.freedesktop.DBus.Properties"

    /// All objects, as GetManagedObjects has them.
    var managedObjects: BusValue {
        .dictionary(
            of: "{oa{sa{sv}}}",
            objects.map { path, interfaces in .init(.path(path), Self.value(interfaces)) }
        )
    }

    private static func value(_ interfaces: Interfaces) -> BusValue {
        .dictionary(
            of: "{sa{sv}}",
            interfaces.map { name, properties in .init(.string(name), .options(properties)) }
        )
    }

    private func emit(_ member: String, _ body: [BusValue]) async throws {
        try await connection.emit(member, of: Self.objectManager, at: .root, body)
    }

    /// Gets an object, or more interfaces of it, and tells.
    func add(_ path: ObjectPath, _ interfaces: Interfaces) async throws {
        let isNew = objects[path] == nil
        updateObjects { objects in
            objects[path, default: [:]].merge(interfaces) { _, new in new }
        }
        if isNew { try export(at: path) }
        try await emit("InterfacesAdded", [.path(path), Self.value(interfaces)])
    }

    /// Finds the device, and its bleota service.
    func addPeer(_ interfaces: Interfaces = Fake.deviceInterfaces()) async throws {
        try await add(Fake.peer, interfaces)
        try await addUpdateService()
    }

    /// Finds the bleota service of the device.
    func addUpdateService() async throws {
        for (path, interfaces) in Fake.updateObjects() { try await add(path, interfaces) }
    }

    /// Loses an object, or only some interfaces of it, and tells.
    func remove(_ path: ObjectPath, only interfaces: [String]? = nil) async throws {
        let names = interfaces ?? (objects[path] ?? [:]).keys.sorted()
        updateObjects { objects in
            for name in names { objects[path]?[name] = nil }
            if objects[path]?.isEmpty == true { objects[path] = nil }
        }
        if objects[path] == nil { try connection.removeObject(at: path) }
        try await emit("InterfacesRemoved", [.path(path), .strings(names)])
    }

    /// Loses an object and all below it, from the deepest on.
    func removeTree(_ path: ObjectPath) async throws {
        let below = objects.keys.filter { $0.isBelow(path) }.sorted().reversed()
        for each in below + [path] { try await remove(each) }
    }

    /// Changes properties without a word.
    func change(_ path: ObjectPath, _ interface: String, quietly changed: [String: BusValue]) {
        updateObjects { objects in
            objects[path]?[interface]?.merge(changed) { _, new in new }
        }
    }

    /// Changes properties and tells.
    func change(
        _ path: ObjectPath,
        _ interface: String,
        _ changed: [String: BusValue],
        invalidated: [String] = []
    ) async throws {
        change(path, interface, quietly: changed)
        updateObjects { objects in
            for name in invalidated { objects[path]?[interface]?[name] = nil }
        }
        try await connection.emit(
            "PropertiesChanged",
            of: Self.properties,
            at: path,
            [.string(interface), .options(changed), .strings(invalidated)]
        )
    }

    /// A device notifies a value.
    func notify(_ path: ObjectPath, _ value: [UInt8]) async throws {
        let body: [BusValue] = [
            .string(Fake.characteristic), .options(["Value": .bytes(value)]), .strings([]),
        ]
        try await connection.emit("PropertiesChanged", of: Self.properties, at: path, body)
    }

    /// The link to a device is lost, as the daemon tells of it; with a reason from 5.83 on.
    func lose(_ device: ObjectPath, because reason: String? = nil) async throws {
        try await change(device, Fake.device, ["ServicesResolved": .boolean(false)])
        if let reason {
            let body: [BusValue] = [.string("org.bluez.Reason.\(reason)"), .string("in words")]
            try await connection.emit("Disconnected", of: Fake.device, at: device, body)
        }
        try await change(device, Fake.device, ["Connected": .boolean(false)])
        for socket in sockets { socket.close() }
    }
}
