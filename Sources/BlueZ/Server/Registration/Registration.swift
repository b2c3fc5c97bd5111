import DBus
import Synchronization

/// Keeps an object registered with the daemon, even after restarts of the daemon or the bus, and
/// after the adapter has been off or unplugged.
final class Registration: Sendable {
    /// The time limit for registering; the daemon reads our objects before it replies.
    private static let limit = Duration.seconds(10)
    private static let firstPause = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(30)
    private static let daemonPath = ObjectPath("/org/bluez")!

    private struct State {
        /// The path of the daemon's object with which the local object is registered; `nil` if it
        /// is not registered.
        var path: ObjectPath?
        var isOver = false
        /// The number of losses so far; if it grows during an attempt, that attempt is outdated.
        var lossCount = 0
        var lastTold: RegistrationState?
        var subscription: BlueZSubscription?
        var keeper: Task<Void, Never>?
    }

    private let client: BlueZClient
    private let plan: RegistrationPlan
    private let onState: @Sendable (RegistrationState) -> Void
    private let state = Mutex(State())
    private let wakeups: AsyncStream<Void>
    private let waking: AsyncStream<Void>.Continuation

    /// - Parameter onState: called on the bus's thread with each change.
    init(
        _ plan: RegistrationPlan,
        _ client: BlueZClient,
        onState: @escaping @Sendable (RegistrationState) -> Void
    ) {
        self.plan = plan
        self.client = client
        self.onState = onState
        (wakeups, waking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { end() }

    /// Registers for the first time; a failure is not retried.
    func begin() async throws(BlueZError) {
        let subscription = client.onEvent { [weak self] event in self?.take(event) }
        state.withLock { $0.subscription = subscription }
        do throws(BlueZError) {
            try await register(try place(), isAgain: false)
        } catch {
            end()
            throw error
        }
        let keeper = Task { [weak self, wakeups] in
            for await _ in wakeups { await self?.restore() }
        }
        let isOver = state.withLock { state in
            state.keeper = keeper
            return state.isOver
        }
        if isOver { keeper.cancel() }
    }

    /// Unregisters without waiting.
    func end() {
        guard let path = close() else { return }
        client.bus.post(undoingCall(path))
    }

    /// Unregisters, and returns when the daemon has done so or is gone.
    func withdraw() async {
        guard let path = close() else { return }
        _ = try? await client.bus.call(undoingCall(path), within: BlueZClient.promptly)
    }

    /// Stops restoring the registration. Returns the path of the daemon's object with which the
    /// local object may still be registered.
    private func close() -> ObjectPath? {
        let (path, subscription, keeper, wasOver) = state.withLock { state in
            defer {
                state.isOver = true
                state.subscription = nil
                state.keeper = nil
                state.path = nil
            }
            return (state.path, state.subscription, state.keeper, state.isOver)
        }
        guard !wasOver else { return nil }
        subscription?.end()
        waking.finish()
        keeper?.cancel()
        tell(.over)
        // The daemon may still complete an attempt that was interrupted.
        return path ?? (try? place())
    }

    private func undoingCall(_ path: ObjectPath) -> MethodCall {
        MethodCall(
            BlueZClient.destination,
            at: path,
            plan.manager,
            plan.undoing.member,
            plan.undoing.body
        )
    }

    // MARK: - Attempts

    private func place() throws(BlueZError) -> ObjectPath {
        guard let seat = plan.seat else {
            guard client.isDaemonThere else { throw .noDaemon }
            return Self.daemonPath
        }
        let path = try seat.path()
        guard client.look({ $0.properties(path, plan.manager) != nil }) else {
            throw .notSupported("adapter \(path.lastElement) has no \(plan.manager)")
        }
        if plan.needsPower, !seat.isPowered(path) { throw .adapterOff }
        return path
    }

    private func register(_ path: ObjectPath, isAgain: Bool) async throws(BlueZError) {
        let lossCount = state.withLock { $0.lossCount }
        if isAgain, !plan.outlivesPower {
            _ = try? await client.bus.call(undoingCall(path), within: BlueZClient.promptly)
        }
        for step in plan.steps { try await take(step, at: path) }
        let isRegistered = state.withLock { state in
            guard !state.isOver, state.lossCount == lossCount else { return false }
            state.path = path
            return true
        }
        if isRegistered { tell(.registered) } else { waking.yield() }
    }

    private func take(
        _ step: RegistrationPlan.Step,
        at path: ObjectPath
    ) async throws(BlueZError) {
        let call = MethodCall(
            BlueZClient.destination,
            at: path,
            plan.manager,
            step.member,
            step.body
        )
        do throws(BusError) {
            _ = try await client.bus.call(call, within: Self.limit)
        } catch {
            if plan.outlivesPower, case .answered("org.bluez.Error.AlreadyExists", _) = error {
                return
            }
            throw BlueZError(error, at: path)
        }
    }

    /// Registers again, until the registration succeeds or must wait for an event.
    private func restore() async {
        var pause = Self.firstPause
        while state.withLock({ $0.path == nil && !$0.isOver }) {
            let path: ObjectPath
            do throws(BlueZError) {
                path = try place()
            } catch {
                return tell(.waiting(error))
            }
            do throws(BlueZError) {
                try await register(path, isAgain: true)
            } catch {
                tell(.waiting(error))
            }
            if state.withLock({ $0.path != nil }) { return }
            guard (try? await Task.sleep(for: pause)) != nil else { return }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    // MARK: - Loss of the registration, on the bus's thread

    private func take(_ event: BlueZEvent) {
        switch event {
        case .daemonVanished: lose(.noDaemon)
        case .daemonAppeared: waking.yield()
        case .added(_, let interfaces):
            if interfaces[plan.manager] != nil { waking.yield() }
        case .removed(let path, let interfaces):
            guard interfaces.contains(plan.manager), path == whereabouts else { return }
            lose(.noAdapter(path.lastElement))
        case .changed(let path, Interface.adapter, let changed, _):
            guard plan.seat != nil, let isPowered = changed["Powered"]?.flag else { return }
            if !isPowered, path == whereabouts { lose(.adapterOff) }
            if isPowered { waking.yield() }
        case .changed, .disconnecting: break
        }
    }

    private var whereabouts: ObjectPath? { state.withLock { $0.path } }

    /// Records that the registration was lost for this reason. Called on the bus's thread.
    func lose(_ reason: BlueZError) {
        let wasRegistered = state.withLock { state in
            state.lossCount += 1
            defer { state.path = nil }
            return state.path != nil
        }
        if wasRegistered { tell(.waiting(reason)) }
    }

    /// Retries the registration after a pause.
    func retry(after pause: Duration) {
        client.bus.after(pause) { [waking] in waking.yield() }
    }

    private func tell(_ newState: RegistrationState) {
        let isNew = state.withLock { state in
            defer { state.lastTold = newState }
            return state.lastTold != newState
        }
        guard isNew else { return }
        client.bus.after(.zero) { [onState] in onState(newState) }
    }
}
