public import DBus
import Synchronization

/// An active advertisement, which is sent as long as the instance exists.
///
/// ```swift
/// let running = try await RunningAdvertisement.start(
///     Advertisement(localName: "thermometer", services: [BluetoothUUID(0x1809)]),
///     on: path,
///     client: bluetooth
/// )
/// ```
///
/// The advertisement is sent again after a restart of the daemon or the bus, and after the
/// adapter has been off or unplugged. Some adapters stop it while a peer is connected.
public final class RunningAdvertisement: Sendable {
    private static let lastNumber = Mutex(0)
    private static let pauseAfterRelease = Duration.seconds(1)

    private let client: BlueZClient
    private let path: ObjectPath
    private let registration: Registration
    private let isOver = Mutex(false)

    private init(_ client: BlueZClient, _ path: ObjectPath, _ registration: Registration) {
        self.client = client
        self.path = path
        self.registration = registration
    }

    deinit {
        guard !isOver.withLock({ $0 }) else { return }
        registration.end()
        client.bus.removeObject(at: path)
    }

    /// Starts an advertisement, and returns when the daemon has begun to send it.
    ///
    /// - Parameters:
    ///   - advertisement: the data to advertise.
    ///   - adapterPath: the path of the adapter, such as `/org/bluez/hci0`. If the path changes,
    ///     the adapter is found by its address.
    ///   - client: the client whose connection exports the advertisement.
    ///   - onState: called with each change of the registration's state, on the bus's thread; the
    ///     closure must not block. It is also called with ``RegistrationState/over`` at the end of
    ///     the advertisement's ``Advertisement/lifetime``.
    /// - Throws: ``BlueZError/invalid(_:)``, which names the invalid setting or lists the sizes
    ///   of the fields; ``BlueZError/notSupported(_:)`` if the adapter cannot send another
    ///   advertisement; ``BlueZError/adapterOff``, ``BlueZError/noAdapter(_:)``,
    ///   ``BlueZError/noDaemon``, ``BlueZError/permissionDenied(_:)``,
    ///   ``BlueZError/timedOut(_:)``, ``BlueZError/failed(_:)``.
    public static func start(
        _ advertisement: Advertisement,
        on adapterPath: ObjectPath,
        client: BlueZClient,
        onState: @escaping @Sendable (RegistrationState) -> Void = { _ in }
    ) async throws(BlueZError) -> RunningAdvertisement {
        let seat = try AdapterReference(client, adapterPath)
        try check(advertisement, client, adapterPath)
        let object = AdvertisementObject(advertisement)
        let path = nextPath()
        let plan = RegistrationPlan(
            manager: Interface.advertisingManager,
            seat: seat,
            needsPower: true,
            outlivesPower: false,
            steps: [.init("RegisterAdvertisement", [.path(path), .options([:])])],
            undoing: .init("UnregisterAdvertisement", [.path(path)])
        )
        let registration = Registration(plan, client, onState: onState)
        object.whenReleased { [weak registration, weak object] in
            if object?.isExpired ?? true {
                registration?.end()
            } else {
                registration?.lose(.failed("it stopped the advertisement"))
                registration?.retry(after: pauseAfterRelease)
            }
        }
        let running = RunningAdvertisement(client, path, registration)
        client.bus.export(object, at: path)
        do throws(BlueZError) {
            try await registration.begin()
        } catch {
            await running.stop()
            throw explained(error, client, adapterPath)
        }
        return running
    }

    /// Stops the advertisement, and returns when the daemon has done so or is gone, after at most
    /// 5 seconds.
    public func stop() async {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        guard !wasOver else { return }
        await registration.withdraw()
        client.bus.removeObject(at: path)
    }

    /// Returns a path that no other advertisement of this process uses.
    private static func nextPath() -> ObjectPath {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        return ObjectPath("/org/bleota/adv\(number)")!
    }

    private static func check(
        _ advertisement: Advertisement,
        _ client: BlueZClient,
        _ adapterPath: ObjectPath
    ) throws(BlueZError) {
        try advertisement.check()
        let capabilities = client.look {
            $0.property(adapterPath, Interface.advertisingManager, "SupportedCapabilities")?
                .properties
        }
        // Adapters with extended advertising report larger limits.
        let common = AdvertisementSize.byteCountMaxOfAll
        try AdvertisementSize(advertisement).check(
            sentMax: max(common, capabilities?["MaxAdvLen"]?.integer ?? 0),
            answeredMax: max(common, capabilities?["MaxScnRspLen"]?.integer ?? 0)
        )
    }

    /// Replaces the daemon's terse errors with more helpful ones.
    private static func explained(
        _ error: BlueZError,
        _ client: BlueZClient,
        _ adapterPath: ObjectPath
    ) -> BlueZError {
        switch error {
        case .notSupported("Maximum advertisements reached"):
            let count = client.look {
                $0.property(adapterPath, Interface.advertisingManager, "ActiveInstances")?.integer
            }
            return .notSupported(
                "all \(count.map { "\($0) " } ?? "")advertising instances of the adapter are in "
                    + "use: end another program that advertises"
            )
        case .failed("Failed to parse advertisement."):
            return .invalid("the daemon does not understand the advertisement")
        default: return error
        }
    }
}
