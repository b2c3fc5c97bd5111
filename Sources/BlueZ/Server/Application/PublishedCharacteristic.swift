public import DBus

/// A characteristic of a published application.
///
/// A value that is sent goes to all peers that subscribed. The daemon queues without bound, and
/// cuts off without a word what is longer than a peer's MTU less 5 bytes (less 3 where the peer
/// takes one value at a time): see ``WriteRequest/mtu``.
public struct PublishedCharacteristic: Sendable {
    /// What it is.
    public let uuid: BluetoothUUID
    /// The service it belongs to.
    public let service: BluetoothUUID
    /// What can be done with it.
    public let flags: CharacteristicFlags
    /// Its object on our connection to the bus.
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

    /// Whether a peer is subscribed; the daemon does not tell which, nor how many.
    public var isSubscribed: Bool { subscribers.isAny }

    /// Sends a value to whoever is subscribed, by the way each peer chose.
    ///
    /// Returns when the bus has it, and suspends while the bus takes nothing; whether it arrives
    /// nobody says. Values sent one after the other keep their order, unless the link has several
    /// channels (`Channels` in the daemon's `main.conf`).
    ///
    /// - Parameter value: at most 512 bytes.
    /// - Returns: false if nobody is subscribed, so that nothing was sent.
    /// - Throws: ``BlueZError/invalid(_:)`` for a longer value, ``BlueZError/noBus(_:)``,
    ///   ``BlueZError/cancelled``.
    @discardableResult
    public func notify(_ value: [UInt8]) async throws(BlueZError) -> Bool {
        precondition(!flags.isDisjoint(with: .notifiable), "\(uuid) does not send values")
        try Self.check(value)
        guard isSubscribed else { return false }
        try await send(value)
        return true
    }

    /// Sends a value to whoever is subscribed, and waits until a peer has confirmed it.
    ///
    /// One is on its way at a time; others wait for it. Where several peers are subscribed the
    /// first confirmation counts, and a later one may be taken for that of the next value. BlueZ
    /// 5.67 to 5.69 never confirm.
    ///
    /// - Parameters:
    ///   - value: at most 512 bytes.
    ///   - limit: how long to wait. After 30 seconds without confirmation the link is cut.
    /// - Returns: false if nobody is subscribed, so that nothing was sent.
    /// - Throws: ``BlueZError/timedOut(_:)``, ``BlueZError/disconnected`` when the last
    ///   subscriber goes meanwhile, and what ``notify(_:)`` throws.
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

    /// Gives reads another value; nobody is told.
    ///
    /// - Parameter value: at most 512 bytes.
    /// - Throws: ``BlueZError/invalid(_:)`` for a longer value.
    public func updateValue(_ value: [UInt8]) throws(BlueZError) {
        precondition(hasValue, "\(uuid) was not made with a value")
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
            throw .invalid("a value of \(value.count) bytes; 512 are allowed")
        }
    }
}
