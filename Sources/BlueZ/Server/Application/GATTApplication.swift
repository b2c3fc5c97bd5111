public import DBus
import Synchronization

/// The services that this machine offers to peers, published as long as the instance exists.
///
/// ```swift
/// let battery = LocalService(BluetoothUUID(0x180F), characteristics: [level])
/// let application = try await GATTApplication.publish([battery], on: path, client: bluetooth)
/// try await application.characteristics[0].notify([42])
/// ```
///
/// The services are published again after a restart of the daemon or the bus, and when the
/// adapter is plugged in again. Peers are notified when the services change.
///
/// The application cannot learn which peers are subscribed, only whether any peer is: the daemon
/// does not identify subscribers. It reports the start of each subscription, but only the end of
/// the last one. Requests, however, identify the peer and its MTU. A handler that captures the
/// application keeps it alive, and its services published, until ``withdraw()``.
///
/// The daemon also acts as a GATT client of each central. The central may therefore ask its user to
/// pair. To change this, see `ReverseServiceDiscovery` and `[GATT] Client` in the daemon's
/// `main.conf`.
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

    /// Publishes services, and returns when the daemon has registered them.
    ///
    /// - Parameters:
    ///   - services: one or more services.
    ///   - adapterPath: the path of the adapter, such as `/org/bluez/hci0`. The adapter may be
    ///     off. If the path changes, the adapter is found by its address.
    ///   - client: the client whose connection exports the application.
    ///   - root: the path of the application's root object on the client's connection, unique to
    ///     each application.
    ///   - onEvent: called with every event, in order, on the bus's thread; the closure must not
    ///     block.
    /// - Throws: ``BlueZError/noAdapter(_:)``, ``BlueZError/noDaemon``,
    ///   ``BlueZError/notSupported(_:)`` if the adapter does not support the peripheral role,
    ///   ``BlueZError/permissionDenied(_:)``, ``BlueZError/timedOut(_:)``, or
    ///   ``BlueZError/failed(_:)`` if the daemon refuses the services, for example because its
    ///   release does not support a flag.
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

    /// Returns the first characteristic with this UUID, in the given service if one is given.
    public func characteristic(
        _ uuid: BluetoothUUID,
        of service: BluetoothUUID? = nil
    ) -> PublishedCharacteristic? {
        characteristics.first { $0.uuid == uuid && (service == nil || $0.service == service) }
    }

    /// Withdraws the services, and returns when the daemon has removed them or is gone, after at
    /// most 5 seconds. No values can be sent afterward.
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
