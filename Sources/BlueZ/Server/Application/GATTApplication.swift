public import DBus
import Synchronization

/// Services that this machine offers to its peers, for as long as this lives.
///
/// ```swift
/// let battery = LocalService(BluetoothUUID(0x180F), characteristics: [level])
/// let application = try await GATTApplication.publish([battery], on: path, client: bluetooth)
/// try await application.characteristics[0].notify([42])
/// ```
///
/// After a restart of the daemon or the bus, or when the adapter comes back, the services are
/// published again. Peers see that services change when they come and go.
///
/// Who subscribed can't be known: the daemon only says that a first peer did, or the last one left.
/// Which values a peer writes, and its MTU, are in its requests. A handler that captures the
/// application keeps it, and with that the services, until ``withdraw()``.
///
/// The daemon acts as a client of each central too, which may ask people to pair; see
/// `ReverseServiceDiscovery` and `[GATT] Client` in its `main.conf`.
public final class GATTApplication: Sendable {
    /// All characteristics, in the order in which they were given.
    public let characteristics: [PublishedCharacteristic]
    private let client: BlueZClient
    private let paths: [ObjectPath]
    private let registration: Registration
    private let isOver = Mutex(false)

    private init(
        _ layout: ApplicationLayout,
        _ client: BlueZClient,
        _ registration: Registration
    ) {
        characteristics = layout.characteristics
        paths = layout.objects.map(\.path)
        self.client = client
        self.registration = registration
    }

    deinit {
        guard !isOver.withLock({ $0 }) else { return }
        registration.end()
        removeObjects()
    }

    /// Offers services, and returns when the daemon has taken them.
    ///
    /// - Parameters:
    ///   - services: at least one.
    ///   - adapterPath: such as `/org/bluez/hci0`. The adapter may be off; it is found again by its
    ///     address.
    ///   - root: where the objects are on our connection; another one for each application.
    ///   - onEvent: is called with everything that happens, in order, on the bus's thread; it must
    ///     not wait.
    /// - Throws: ``BlueZError/noAdapter(_:)``, ``BlueZError/noDaemon``,
    ///   ``BlueZError/notSupported(_:)`` for an adapter without the role,
    ///   ``BlueZError/permissionDenied(_:)``, ``BlueZError/timedOut(_:)``, and
    ///   ``BlueZError/failed(_:)`` when the daemon does not take the services, for one because its
    ///   release does not know a flag.
    public static func publish(
        _ services: [LocalService],
        on adapterPath: ObjectPath,
        client: BlueZClient,
        at root: ObjectPath = ObjectPath("/org/bleota/app")!,
        onEvent: @escaping @Sendable (ApplicationEvent) -> Void = { _ in }
    ) async throws(BlueZError) -> GATTApplication {
        precondition(!services.isEmpty, "an application has at least one service")
        let seat = try AdapterReference(client, adapterPath)
        let layout = ApplicationLayout(services, at: root, client, onEvent)
        let plan = RegistrationPlan(
            manager: Interface.gattManager,
            seat: seat,
            needsPower: false,
            outlivesPower: true,
            steps: [.init("RegisterApplication", [.path(root), .options([:])])],
            undoing: .init("UnregisterApplication", [.path(root)])
        )
        let registration = Registration(plan, client) {
            [subscribers = layout.subscribers, writeSockets = layout.writeSockets] state in
            onEvent(.registration(state))
            guard state != .registered else { return }
            for each in subscribers { each.reset() }
            for each in writeSockets { each.offerAgain() }
        }
        let application = GATTApplication(layout, client, registration)
        for (path, object) in layout.objects { client.bus.export(object, at: path) }
        do throws(BlueZError) {
            try await registration.begin()
        } catch {
            await application.withdraw()
            throw error
        }
        return application
    }

    /// The first characteristic with this UUID, of the service with that one if it is given.
    public func characteristic(
        _ uuid: BluetoothUUID,
        of service: BluetoothUUID? = nil
    ) -> PublishedCharacteristic? {
        characteristics.first { $0.uuid == uuid && (service == nil || $0.service == service) }
    }

    /// Takes the services back, and returns when the daemon has done so or is gone; at most 5
    /// seconds. Nothing can be sent afterwards.
    public func withdraw() async {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        guard !wasOver else { return }
        await registration.withdraw()
        removeObjects()
    }

    private func removeObjects() {
        for path in paths { client.bus.removeObject(at: path) }
    }
}
