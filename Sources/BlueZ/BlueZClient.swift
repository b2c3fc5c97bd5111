public import DBus
import Synchronization

/// The Bluetooth daemon as seen over D-Bus: its adapters, the devices that it knows, and all that
/// can be done with them.
///
/// ```swift
/// let bluetooth = try await BlueZClient.open()
/// let adapter = try bluetooth.adapter()
/// for await found in try await adapter.scan(ScanFilter(services: [heartRate])) { … }
/// ```
///
/// A client lives through restarts of the daemon and of the bus; what is known of devices and
/// services begins anew then. Any number of tasks may use it.
public final class BlueZClient: Sendable {
    static let destination = "org.bluez"
    /// How long the daemon may take for what it knows without asking a device.
    static let promptly = Duration.seconds(5)

    typealias Handler = @Sendable (BlueZEvent) -> Void

    private struct State {
        var tree = ObjectTree()
        var isDaemonThere = false
        /// Why there is none, if the bus is the reason.
        var busFailure: String?
        /// Signals that came while the objects were asked for.
        var early: [BusMessage]?
        var handlers: [UInt64: Handler] = [:]
        var valueHandlers: [ObjectPath: [UInt64: @Sendable ([UInt8]) -> Void]] = [:]
        var scanCounts: [ObjectPath: Int] = [:]
        var lastID: UInt64 = 0
        var subscriptions: [BusSubscription] = []

        var orderedHandlers: [Handler] { handlers.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The connection to the bus.
    public let bus: BusConnection
    private let state = Mutex(State())

    private init(_ bus: BusConnection) { self.bus = bus }

    /// Connects to the system bus and asks the daemon for everything it knows.
    ///
    /// - Throws: ``BlueZError/noBus(_:)``, ``BlueZError/noDaemon``,
    ///   ``BlueZError/permissionDenied(_:)``, ``BlueZError/timedOut(_:)``.
    public static func open(
        _ address: BusAddress = .system,
        within limit: Duration = .seconds(5)
    ) async throws(BlueZError) -> BlueZClient {
        let bus: BusConnection
        do throws(BusError) {
            bus = try await BusConnection.open(address, within: limit)
        } catch {
            if case .deadline = error { throw .timedOut("The D-Bus system bus") }
            throw BlueZError(error)
        }
        let client = BlueZClient(bus)
        client.listen()
        // Whether it runs is asked first, so that the bus does not start one for us and wait.
        guard await client.hasOwner() else {
            bus.close()
            throw .noDaemon
        }
        do throws(BlueZError) {
            try await client.load()
        } catch {
            bus.close()
            throw error
        }
        return client
    }

    /// Ends the connection to the bus; nothing works afterwards. Links stay up.
    public func close() { bus.close() }

    private func listen() {
        bus.add(
            MatchRule(sender: Self.destination, interface: Interface.objectManager)
        )
        bus.add(
            MatchRule(
                sender: Self.destination,
                interface: Interface.properties,
                member: "PropertiesChanged",
                namespace: ObjectPath("/org/bluez")
            )
        )
        bus.add(
            MatchRule(sender: Self.destination, interface: Interface.device, member: "Disconnected")
        )
        bus.add(
            MatchRule(
                sender: Interface.bus,
                interface: Interface.bus,
                member: "NameOwnerChanged",
                firstArgument: Self.destination
            )
        )
        let signals = bus.onSignal { [weak self] message in self?.take(message) }
        let states = bus.onState { [weak self] busState in self?.take(busState) }
        state.withLock { $0.subscriptions = [signals, states] }
    }

    private func hasOwner() async -> Bool {
        let call = MethodCall(
            Interface.bus,
            at: ObjectPath("/org/freedesktop/DBus")!,
            Interface.bus,
            "NameHasOwner",
            [.string(Self.destination)]
        )
        return (try? await bus.call(call, within: Self.promptly))?.first?.flag ?? false
    }

    /// Asks for all objects; signals that come meanwhile are applied afterwards.
    private func load() async throws(BlueZError) {
        state.withLock { $0.early = [] }
        let objects = try await call(.root, Interface.objectManager, "GetManagedObjects")
        let handlers = state.withLock { state -> [Handler] in
            state.tree.replace(with: objects.first)
            state.isDaemonThere = true
            state.busFailure = nil
            return state.orderedHandlers
        }
        for handler in handlers { handler(.daemonAppeared) }
        // Until none is left, so that those that arrive now stay behind them.
        while let early = nextEarly() {
            if let event = Self.event(early) { apply(event) }
        }
    }

    private func nextEarly() -> BusMessage? {
        state.withLock { state in
            if state.early?.isEmpty == false { return state.early?.removeFirst() }
            state.early = nil
            return nil
        }
    }

    // MARK: - What the bus brings

    private func take(_ busState: BusState) {
        switch busState {
        case .disconnected(let why): vanish(why)
        case .connected:
            guard state.withLock({ !$0.isDaemonThere && $0.busFailure != nil }) else { return }
            reload()
        }
    }

    private func reload() {
        Task {
            if await hasOwner() { try? await load() }
        }
    }

    private func vanish(_ busFailure: String?) {
        let handlers = state.withLock { state -> [Handler] in
            state.busFailure = busFailure
            guard state.isDaemonThere else { return [] }
            state.isDaemonThere = false
            state.tree.removeAll()
            return state.orderedHandlers
        }
        for handler in handlers { handler(.daemonVanished) }
    }

    private func take(_ message: BusMessage) {
        if message.member == "NameOwnerChanged", message.body.first?.text == Self.destination {
            if message.body.count > 1, message.body[1].text != "" { vanish(nil) }
            if message.body.count > 2, message.body[2].text != "" { reload() }
            return
        }
        let isEarly = state.withLock { state -> Bool in
            guard state.early != nil else { return false }
            state.early?.append(message)
            return true
        }
        if !isEarly, let event = Self.event(message) { apply(event) }
    }

    private static func event(_ message: BusMessage) -> BlueZEvent? {
        guard let path = message.path else { return nil }
        let body = message.body
        switch message.member {
        case "InterfacesAdded":
            guard body.count == 2, let path = body[0].objectPath else { return nil }
            var interfaces: [String: [String: BusValue]] = [:]
            for entry in body[1].entries ?? [] {
                if let name = entry.key.text { interfaces[name] = entry.value.properties ?? [:] }
            }
            return .added(path, interfaces)
        case "InterfacesRemoved":
            guard body.count == 2, let path = body[0].objectPath else { return nil }
            return .removed(path, body[1].texts ?? [])
        case "PropertiesChanged":
            guard body.count == 3, let interface = body[0].text else { return nil }
            return .changed(
                path,
                interface: interface,
                body[1].properties ?? [:],
                invalidated: body[2].texts ?? []
            )
        default: return nil
        }
    }

    private func apply(_ event: BlueZEvent) {
        typealias ValueHandlers = [@Sendable ([UInt8]) -> Void]
        let (handlers, values) = state.withLock { state -> ([Handler], ValueHandlers) in
            switch event {
            case .added(let path, let interfaces): state.tree.merge(path, interfaces)
            case .removed(let path, let names): state.tree.remove(path, names)
            case .changed(let path, let interface, let changed, let invalidated):
                state.tree.change(path, interface, changed, invalidated: invalidated)
                if interface == Interface.characteristic, changed["Value"] != nil,
                    let handlers = state.valueHandlers[path]
                {
                    return (
                        state.orderedHandlers,
                        handlers.sorted { $0.key < $1.key }.map(\.value)
                    )
                }
            default: break
            }
            return (state.orderedHandlers, [])
        }
        if case .changed(_, _, let changed, _) = event, let value = changed["Value"]?.byteArray {
            for handler in values { handler(value) }
        }
        for handler in handlers { handler(event) }
    }

    // MARK: - For the rest of the module

    /// What is known now.
    func look<Value: Sendable>(_ body: (borrowing ObjectTree) -> Value) -> Value {
        state.withLock { body($0.tree) }
    }

    /// Whether the daemon runs.
    public var isDaemonThere: Bool { state.withLock { $0.isDaemonThere } }

    /// Calls `handler` with every event from now on, in order, on the bus's thread; it must not
    /// wait.
    public func onEvent(_ handler: @escaping @Sendable (BlueZEvent) -> Void) -> BlueZSubscription {
        let id = state.withLock { state in
            state.lastID += 1
            state.handlers[state.lastID] = handler
            return state.lastID
        }
        return BlueZSubscription { [weak self] in
            _ = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
        }
    }

    /// Calls `handler` with every value that a characteristic is said to have, in order.
    func onValue(
        of path: ObjectPath,
        _ handler: @escaping @Sendable ([UInt8]) -> Void
    ) -> BlueZSubscription {
        let id = state.withLock { state in
            state.lastID += 1
            state.valueHandlers[path, default: [:]][state.lastID] = handler
            return state.lastID
        }
        return BlueZSubscription { [weak self] in
            self?.state.withLock { state in
                state.valueHandlers[path]?.removeValue(forKey: id)
                if state.valueHandlers[path]?.isEmpty == true {
                    state.valueHandlers.removeValue(forKey: path)
                }
            }
        }
    }

    func scanBegan(at adapter: ObjectPath) {
        state.withLock { $0.scanCounts[adapter, default: 0] += 1 }
    }

    /// Whether it was the last.
    func scanEnded(at adapter: ObjectPath) -> Bool {
        state.withLock { state in
            let left = (state.scanCounts[adapter] ?? 1) - 1
            state.scanCounts[adapter] = left == 0 ? nil : left
            return left == 0
        }
    }

    /// Calls a method of one of the daemon's objects.
    @discardableResult
    func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [BusValue] = [],
        within limit: Duration? = BlueZClient.promptly
    ) async throws(BlueZError) -> [BusValue] {
        let call = MethodCall(Self.destination, at: path, interface, member, body)
        do throws(BusError) {
            return try await bus.call(call, within: limit)
        } catch {
            throw BlueZError(error, at: path)
        }
    }

    /// Sets a property.
    func set(
        _ path: ObjectPath,
        _ interface: String,
        _ name: String,
        _ value: BusValue,
        within limit: Duration = BlueZClient.promptly
    ) async throws(BlueZError) {
        let body: [BusValue] = [.string(interface), .string(name), .variant(value)]
        try await call(path, Interface.properties, "Set", body, within: limit)
    }

    /// Asks for a property as it is now.
    func get(
        _ path: ObjectPath,
        _ interface: String,
        _ name: String
    ) async throws(BlueZError) -> BusValue {
        let answer = try await call(
            path,
            Interface.properties,
            "Get",
            [.string(interface), .string(name)]
        )
        guard let value = answer.first?.unwrapped else { throw .failed("no value of \(name)") }
        return value
    }

    /// Asks for all properties of an object as they are now. Release 5.66 sometimes changes one
    /// without telling.
    func refresh(_ path: ObjectPath, _ interface: String) async throws(BlueZError) {
        let answer = try await call(
            path,
            Interface.properties,
            "GetAll",
            [.string(interface)]
        )
        let properties = answer.first?.properties ?? [:]
        apply(.changed(path, interface: interface, properties, invalidated: []))
    }

    /// Waits until `condition` finds something in what is known, which it is asked at once and
    /// after each change.
    ///
    /// - Throws: ``BlueZError/timedOut(_:)`` about `what`, ``BlueZError/noDaemon`` when it goes
    ///   away meanwhile, and what the condition throws.
    func wait<Value: Sendable>(
        for what: String,
        within limit: Duration,
        _ condition: @escaping @Sendable (borrowing ObjectTree) -> Result<Value, BlueZError>?
    ) async throws(BlueZError) -> Value {
        let wait = ConditionWait<Value>()
        let subscription = onEvent { [weak self] event in
            if case .daemonVanished = event { return wait.end(.failure(.noDaemon)) }
            if let outcome = self?.look(condition) { wait.end(outcome) }
        }
        defer { subscription.end() }
        if let outcome = look(condition) { return try outcome.get() }
        guard isDaemonThere else { throw .noDaemon }
        bus.after(limit) { wait.end(.failure(.timedOut(what))) }
        let outcome = await withTaskCancellationHandler {
            await wait.outcome()
        } onCancel: {
            wait.end(.failure(.cancelled))
        }
        return try outcome.get()
    }
}
