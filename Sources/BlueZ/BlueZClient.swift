public import DBus
import Synchronization

/// A client of the Bluetooth daemon over D-Bus, with access to the daemon's adapters and devices.
///
/// ```swift
/// let bluetooth = try await BlueZClient.open()
/// let adapter = try bluetooth.adapter()
/// for await found in try await adapter.scan(ScanFilter(services: [heartRate])) { … }
/// ```
///
/// A client survives restarts of the daemon and of the bus, but its information on devices and
/// services is then read anew. Any number of tasks may use it at the same time.
public final class BlueZClient: Sendable {
    static let destination = "org.bluez"
    /// The time limit for calls that the daemon answers without contacting a device.
    static let promptly = Duration.seconds(5)
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(8)

    typealias Handler = @Sendable (BlueZEvent) -> Void

    private struct State {
        var tree = ObjectTree()
        var isDaemonThere = false
        /// The daemon's unique bus name, needed because any program can send us signals.
        var owner: String?
        /// The number of loads and disconnections, used to detect outdated replies.
        var loadCount = 0
        /// The reason why the daemon is absent, if the bus is the cause.
        var busFailure: String?
        /// Signals that arrived while the objects were being loaded.
        var early: [BusMessage]?
        var handlers: [UInt64: Handler] = [:]
        var valueHandlers: [ObjectPath: [UInt64: @Sendable ([UInt8]) -> Void]] = [:]
        /// The running scans by each adapter. All scans of a client share one discovery.
        var scans: [ObjectPath: [UInt64: ScanFilter]] = [:]
        var lastID: UInt64 = 0
        var subscriptions: [BusSubscription] = []

        var orderedHandlers: [Handler] { handlers.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// The connection to the bus.
    public let bus: BusConnection
    let radioSwitches: RadioSwitches
    private let state = Mutex(State())

    private init(_ bus: BusConnection, _ radioSwitches: RadioSwitches) {
        self.bus = bus
        self.radioSwitches = radioSwitches
    }

    /// Connects to the system bus and loads all of the daemon's objects.
    ///
    /// - Throws: ``BlueZError/noBus(_:)``, ``BlueZError/noDaemon``,
    ///   ``BlueZError/permissionDenied(_:)``, ``BlueZError/timedOut(_:)``.
    public static func open(
        _ address: BusAddress = .system,
        within limit: Duration = .seconds(5)
    ) async throws(BlueZError) -> BlueZClient {
        try await open(address, within: limit, radioSwitches: RadioSwitches.systemFolder)
    }

    /// Connects, but reads the kernel's radio switches from another directory.
    package static func open(
        _ address: BusAddress,
        within limit: Duration = .seconds(5),
        radioSwitches folder: String
    ) async throws(BlueZError) -> BlueZClient {
        let bus: BusConnection
        do throws(BusError) {
            bus = try await BusConnection.open(address, within: limit)
        } catch {
            if case .deadline = error { throw .timedOut("The D-Bus system bus") }
            throw BlueZError(error)
        }
        let client = BlueZClient(bus, RadioSwitches(folder: folder))
        client.listen()
        // Checks first whether the daemon is running, so that the bus does not start it and wait
        // for it.
        do throws(BlueZError) {
            guard try await client.hasOwner() else { throw .noDaemon }
            try await client.load()
        } catch {
            bus.close()
            throw error
        }
        return client
    }

    /// Closes the connection to the bus; the client is unusable afterward. Links stay up.
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

    private func hasOwner() async throws(BlueZError) -> Bool {
        let call = MethodCall(
            Interface.bus,
            at: ObjectPath("/org/freedesktop/DBus")!,
            Interface.bus,
            "GetNameOwner",
            [.string(Self.destination)]
        )
        let answer: [BusValue]
        do throws(BusError) {
            answer = try await bus.call(call, within: Self.promptly)
        } catch {
            let failure = BlueZError(error)
            guard failure == .noDaemon else { throw failure }
            return false
        }
        // A newer owner reported by the bus takes precedence.
        state.withLock { if $0.owner == nil { $0.owner = answer.first?.text } }
        return true
    }

    /// Loads all objects; signals that arrive in the meantime are applied afterward.
    private func load() async throws(BlueZError) {
        let number = state.withLock { state in
            state.loadCount += 1
            state.early = []
            return state.loadCount
        }
        let objects: [BusValue]
        do throws(BlueZError) {
            objects = try await call(.root, Interface.objectManager, "GetManagedObjects")
        } catch {
            state.withLock { if $0.loadCount == number { $0.early = nil } }
            throw error
        }
        let handlers = state.withLock { state -> [Handler]? in
            guard state.loadCount == number else { return nil }
            state.tree.replace(with: objects.first)
            state.isDaemonThere = true
            state.busFailure = nil
            return state.orderedHandlers
        }
        // If there are no handlers, the daemon has gone away, or another load has begun.
        guard let handlers else { throw .noDaemon }
        for handler in handlers { handler(.daemonAppeared) }
        applyEarly()
    }

    /// Loads all objects again, and applies the new or changed ones below `ancestor` as if the
    /// daemon had sent signals, which BlueZ 5.66 does not always do.
    func reconcile(below ancestor: ObjectPath) async throws(BlueZError) {
        let number = state.withLock { state -> Int? in
            guard state.isDaemonThere, state.early == nil else { return nil }
            state.loadCount += 1
            state.early = []
            return state.loadCount
        }
        // If there is no number, the daemon has gone away, or another task is already loading.
        guard let number else { return }
        let objects: [BusValue]
        do throws(BlueZError) {
            objects = try await call(.root, Interface.objectManager, "GetManagedObjects")
        } catch {
            // Signals that arrived in the meantime are still valid.
            if state.withLock({ $0.loadCount == number }) { applyEarly() }
            throw error
        }
        let news = state.withLock { state in
            state.loadCount == number
                ? state.tree.reconcile(with: objects.first, below: ancestor) : nil
        }
        guard let news else { return }
        let handlers = state.withLock { $0.orderedHandlers }
        for (path, interfaces) in news {
            for handler in handlers { handler(.added(path, interfaces)) }
        }
        applyEarly()
    }

    /// Applies the signals that arrived during a load, in order, until none are left.
    private func applyEarly() {
        while let early = nextEarly() {
            if let event = BlueZEvent(early) { apply(event) }
        }
    }

    private func nextEarly() -> BusMessage? {
        state.withLock { state in
            if state.early?.isEmpty == false { return state.early?.removeFirst() }
            state.early = nil
            return nil
        }
    }

    // MARK: - Signals from the bus

    private func take(_ busState: BusState) {
        switch busState {
        case .disconnected(let why): vanish(why)
        case .connected:
            guard state.withLock({ !$0.isDaemonThere && $0.busFailure != nil }) else { return }
            reload()
        }
    }

    /// Retries until all objects are loaded or the daemon is gone.
    private func reload() {
        Task { [weak self] in
            var pause = Self.firstPause
            while await self?.isLoadingDue() == true {
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    private func isLoadingDue() async -> Bool {
        guard !isDaemonThere, (try? await hasOwner()) == true else { return false }
        return (try? await load()) == nil
    }

    private func vanish(_ busFailure: String?) {
        let handlers = state.withLock { state -> [Handler] in
            state.busFailure = busFailure
            state.owner = nil
            state.loadCount += 1
            state.early = nil
            guard state.isDaemonThere else { return [] }
            state.isDaemonThere = false
            state.tree.removeAll()
            return state.orderedHandlers
        }
        for handler in handlers { handler(.daemonVanished) }
    }

    private func take(_ message: BusMessage) {
        if message.sender == Interface.bus {
            if message.member == "NameOwnerChanged" { takeOwnerChange(message.body.map(\.text)) }
            return
        }
        let isEarly = state.withLock { state -> Bool? in
            guard message.sender == state.owner else { return nil }
            guard state.early != nil else { return false }
            state.early?.append(message)
            return true
        }
        if isEarly == false, let event = BlueZEvent(message) { apply(event) }
    }

    private func takeOwnerChange(_ names: [String?]) {
        guard names.count == 3, names[0] == Self.destination else { return }
        if names[1] != "" { vanish(nil) }
        if let owner = names[2], owner != "" {
            state.withLock { $0.owner = owner }
            reload()
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
            case .disconnecting(let path, let reason): state.tree.disconnect(path, reason)
            case .daemonAppeared, .daemonVanished: break
            }
            return (state.orderedHandlers, [])
        }
        if case .changed(_, _, let changed, _) = event, let value = changed["Value"]?.byteArray {
            for handler in values { handler(value) }
        }
        for handler in handlers { handler(event) }
    }

    /// Applies properties that were read, unless a signal has changed the object since
    /// `revision`; in that case, returns `false`.
    func take(
        _ properties: [String: BusValue],
        of interface: String,
        at path: ObjectPath,
        ifStill revision: UInt64?
    ) -> Bool {
        let handlers = state.withLock { state -> [Handler]? in
            guard state.tree.revision(of: path) == revision else { return nil }
            state.tree.change(path, interface, properties, invalidated: [])
            return state.orderedHandlers
        }
        guard let handlers else { return false }
        let event = BlueZEvent.changed(path, interface: interface, properties, invalidated: [])
        for handler in handlers { handler(event) }
        return true
    }

    // MARK: - For the rest of the module

    /// Reads from the current object tree.
    func look<Value: Sendable>(_ body: (borrowing ObjectTree) -> Value) -> Value {
        state.withLock { body($0.tree) }
    }

    /// Whether the daemon is running.
    public var isDaemonThere: Bool { state.withLock { $0.isDaemonThere } }

    /// The reason why the object tree is empty; `nil` while the daemon is running.
    var whyAbsent: BlueZError? {
        state.withLock { state in
            if state.isDaemonThere { return nil }
            return state.busFailure.map { .noBus($0) } ?? .noDaemon
        }
    }

    /// Calls `handler` with every later event, in order, on the bus's thread; `handler` must not
    /// block.
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

    /// Calls `handler` with every reported value of a characteristic, in order.
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

    /// Registers a scan by an adapter, and returns the ID with which to end it.
    func beginScan(_ filter: ScanFilter, at adapter: ObjectPath) -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            state.scans[adapter, default: [:]][state.lastID] = filter
            return state.lastID
        }
    }

    /// Unregisters a scan, and returns whether it was the adapter's last.
    func endScan(_ id: UInt64, at adapter: ObjectPath) -> Bool {
        state.withLock { state in
            state.scans[adapter]?.removeValue(forKey: id)
            return state.scans[adapter]?.isEmpty ?? true
        }
    }

    /// The combined filter of all scans by an adapter.
    func scanFilter(at adapter: ObjectPath) -> ScanFilter {
        let filters = state.withLock { $0.scans[adapter] }
        return ScanFilter(joining: Array((filters ?? [:]).values))
    }
}
