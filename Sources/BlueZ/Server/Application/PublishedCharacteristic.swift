public import DBus

/// A characteristic of a published application.
///
/// A value is sent to all subscribed peers. The daemon queues values without a limit. It silently
/// truncates a value that is longer than the peer's ATT_MTU − 5 bytes, or − 3 bytes if the peer
/// does not support Multiple Handle Value Notifications; see ``WriteRequest/mtu``.
public struct PublishedCharacteristic: Sendable {
    /// The characteristic's UUID.
    public let uuid: BluetoothUUID
    /// The UUID of the service that contains the characteristic.
    public let service: BluetoothUUID
    /// The permitted operations.
    public let flags: CharacteristicFlags
    /// The path of the object on the client's connection.
    public let path: ObjectPath
    private let client: BlueZClient
    private let stored: StoredValue
    private let subscribers: Subscribers
    private let hasValue: Bool

    init(
        _ characteristic: LocalCharacteristic,
        of service: BluetoothUUID,
        at path: ObjectPath,
        _ stored: StoredValue,
        _ subscribers: Subscribers,
        _ client: BlueZClient
    ) {
        uuid = characteristic.uuid
        self.service = service
        flags = characteristic.flags
        self.path = path
        self.stored = stored
        self.subscribers = subscribers
        self.client = client
        hasValue = if case .value = characteristic.reading { true } else { false }
    }

    /// Whether a peer is subscribed. The daemon reports neither the number nor the identity of
    /// the subscribers.
    public var isSubscribed: Bool { subscribers.isAny }

    /// Sends a value to all subscribers, as a notification or an indication according to their
    /// subscriptions.
    ///
    /// Returns when the bus has accepted the value, and suspends while the bus accepts no data;
    /// delivery is not reported. Consecutive values keep their order, unless the link has several
    /// ATT channels (`Channels` in the daemon's `main.conf`).
    ///
    /// - Parameter value: at most 512 bytes.
    /// - Returns: `false` if there are no subscribers, so nothing was sent.
    /// - Throws: ``BlueZError/invalid(_:)`` if the value is too long, ``BlueZError/noBus(_:)``,
    ///   ``BlueZError/cancelled``.
    @discardableResult
    public func notify(_ value: [UInt8]) async throws(BlueZError) -> Bool {
        precondition(!flags.isDisjoint(with: .notifiable), "\(uuid) does not send values")
        try Self.check(value)
        guard isSubscribed else { return false }
        try await send(value)
        return true
    }

    /// Sends a value to all subscribers, and waits until a peer has confirmed it.
    ///
    /// Only one indication is in flight at a time; others are queued. With several subscribers,
    /// the first confirmation counts, and a later one may be mistaken for the confirmation of the
    /// next value. BlueZ 5.67 to 5.69 never report confirmations. BlueZ 5.82 reports a confirmation
    /// if the peer disconnects instead of confirming.
    ///
    /// - Parameters:
    ///   - value: at most 512 bytes.
    ///   - limit: how long to wait. A peer that does not confirm within 30 seconds is
    ///     disconnected.
    /// - Returns: `false` if there are no subscribers, so nothing was sent.
    /// - Throws: ``BlueZError/timedOut(_:)``, ``BlueZError/disconnected`` if the last subscriber
    ///   leaves in the meantime, and the errors of ``notify(_:)``.
    @discardableResult
    public func indicate(
        _ value: [UInt8],
        within limit: Duration = .seconds(30)
    ) async throws(BlueZError) -> Bool {
        precondition(!flags.isDisjoint(with: .indicatable), "\(uuid) does not indicate")
        try Self.check(value)
        guard isSubscribed else { return false }
        let indication = Indication()
        subscribers.add(indication)
        let alarm = Task {
            try await Task.sleep(for: limit)
            indication.end(.failure(.timedOut("The confirmation")))
        }
        defer {
            alarm.cancel()
            subscribers.remove(indication)
        }
        let outcome = await withTaskCancellationHandler {
            await deliver(value, indication)
        } onCancel: {
            indication.end(.failure(.cancelled))
        }
        try outcome.get()
        return true
    }

    private func deliver(
        _ value: [UInt8],
        _ indication: Indication
    ) async -> Result<Void, BlueZError> {
        if case .failure(let error) = await indication.turn.outcome() { return .failure(error) }
        do throws(BlueZError) {
            try await send(value)
        } catch {
            return .failure(error)
        }
        return await indication.confirmation.outcome()
    }

    /// Changes the value that peers read, without notifying subscribers.
    ///
    /// - Parameter value: at most 512 bytes.
    /// - Throws: ``BlueZError/invalid(_:)`` if the value is too long.
    public func updateValue(_ value: [UInt8]) throws(BlueZError) {
        precondition(hasValue, "\(uuid) was created without a value")
        try Self.check(value)
        stored.bytes = value
    }

    private func send(_ value: [UInt8]) async throws(BlueZError) {
        let body: [BusValue] = [
            .string(Interface.characteristic), .options(["Value": .bytes(value)]), .strings([]),
        ]
        do throws(BusError) {
            try await client.bus.emit(
                "PropertiesChanged",
                of: Interface.properties,
                at: path,
                body
            )
        } catch {
            throw BlueZError(error, at: path)
        }
    }

    private static func check(_ value: [UInt8]) throws(BlueZError) {
        guard value.count <= LocalReading.byteCountMax else {
            throw .invalid("a value of \(value.count) bytes, but at most 512 are allowed")
        }
    }
}
