public import DBus
import Synchronization

/// An advertisement that is sent, for as long as this lives.
///
/// ```swift
/// let running = try await RunningAdvertisement.start(
///     Advertisement(localName: "thermometer", services: [BluetoothUUID(0x1809)]),
///     on: path,
///     client: bluetooth
/// )
/// ```
///
/// After a restart of the daemon or the bus, and when the adapter was off or away, it is sent
/// again. While a peer is connected some adapters stop it until the peer goes.
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

    /// Sends an advertisement, and returns when the daemon has begun.
    ///
    /// - Parameters:
    ///   - adapterPath: such as `/org/bluez/hci0`; it is found again by its address.
    ///   - onState: is called with what becomes of it, on the bus's thread; it must not wait.
    ///     ``RegistrationState/over`` comes at the end of its lifetime too.
    /// - Throws: ``BlueZError/invalid(_:)`` that says what is wrong with it, or which part is too
    ///   long; ``BlueZError/notSupported(_:)`` when the adapter sends no more, or none;
    ///   ``BlueZError/adapterOff``, ``BlueZError/noAdapter(_:)``, ``BlueZError/noDaemon``,
    ///   ``BlueZError/permissionDenied(_:)``, ``BlueZError/timedOut(_:)``,
    ///   ``BlueZError/failed(_:)``.
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

    /// Stops it, and returns when the daemon has done so or is gone; at most 5 seconds.
    public func stop() async {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        guard !wasOver else { return }
        await registration.withdraw()
        client.bus.removeObject(at: path)
    }

    /// A path that no other advertisement of this process has.
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
        // Adapters with extended advertising say that they have more.
        let common = AdvertisementSize.byteCountMaxOfAll
        try AdvertisementSize(advertisement).check(
            sentMax: max(common, capabilities?["MaxAdvLen"]?.integer ?? 0),
            answeredMax: max(common, capabilities?["MaxScnRspLen"]?.integer ?? 0)
        )
    }

    /// The daemon has few words for what went wrong.
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
                "all \(count.map { "\($0) " } ?? "")advertisements of the adapter are in use: end "
                    + "another program that advertises"
            )
        case .failed("Failed to parse advertisement."):
            return .invalid("the daemon does not understand the advertisement")
        default: return error
        }
    }
}
