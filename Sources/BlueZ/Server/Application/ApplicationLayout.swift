import DBus

/// The objects of an application: the root, the services below it, the characteristics below each
/// service, and the descriptors below each characteristic.
struct ApplicationLayout {
    private(set) var objects: [(path: ObjectPath, object: any ExportedObject)] = []
    private(set) var characteristics: [PublishedCharacteristic] = []
    private(set) var subscribers: [Subscribers] = []
    private(set) var writeSockets: [WriteSockets] = []
    private let client: BlueZClient
    private let onEvent: @Sendable (ApplicationEvent) -> Void

    init(
        _ services: [LocalService],
        at root: ObjectPath,
        _ client: BlueZClient,
        _ onEvent: @escaping @Sendable (ApplicationEvent) -> Void
    ) {
        self.client = client
        self.onEvent = onEvent
        let paths = services.indices.map { root.appending("service\($0)") }
        let includes = services.indices.map { index in
            services[index].includes.map { uuid in
                let other = services.indices.first { $0 != index && services[$0].uuid == uuid }
                guard let other else { preconditionFailure("no service \(uuid) to include") }
                return other
            }
        }
        for (index, service) in services.enumerated() {
            let included = includes[index].map { paths[$0] }
            objects.append((paths[index], ServiceObject(service, includes: included)))
            for (number, characteristic) in service.characteristics.enumerated() {
                let path = paths[index].appending("char\(number)")
                add(characteristic, of: service.uuid, at: path)
            }
        }
        let told = Self.includedFirst(includes).flatMap { index in
            objects.filter { $0.path == paths[index] || $0.path.isBelow(paths[index]) }
        }
        objects.insert((root, ApplicationRoot(told)), at: 0)
    }

    /// The order of the services with included ones first. The daemon registers services in the
    /// order of the list, and drops an include of a service that it has not registered yet.
    private static func includedFirst(_ includes: [[Int]]) -> [Int] {
        var order: [Int] = []
        var seen: Set<Int> = []
        func add(_ index: Int) {
            guard seen.insert(index).inserted else { return }
            for other in includes[index] { add(other) }
            order.append(index)
        }
        for index in includes.indices { add(index) }
        return order
    }

    private mutating func add(
        _ characteristic: LocalCharacteristic,
        of service: BluetoothUUID,
        at path: ObjectPath
    ) {
        let stored = StoredValue(characteristic.reading)
        let published = { @Sendable [client] (subscribers: Subscribers) in
            PublishedCharacteristic(
                characteristic,
                of: service,
                at: path,
                stored,
                subscribers,
                client
            )
        }
        let subscribers = Subscribers { [onEvent] subscribers, isAny in
            let characteristic = published(subscribers)
            onEvent(isAny ? .subscribed(characteristic) : .unsubscribed(characteristic))
        }
        characteristics.append(published(subscribers))
        self.subscribers.append(subscribers)
        let sends = !characteristic.flags.isDisjoint(with: .notifiable)
        let writeSockets = characteristic.writing.sockets(client, at: path)
        if let writeSockets { self.writeSockets.append(writeSockets) }
        let object = AttributeObject(
            characteristic,
            of: path.parent ?? .root,
            stored,
            sends ? subscribers : nil,
            writeSockets
        )
        objects.append((path, object))
        for (number, descriptor) in characteristic.descriptors.enumerated() {
            let below = path.appending("desc\(number)")
            objects.append((below, AttributeObject(descriptor, of: path)))
        }
    }
}
