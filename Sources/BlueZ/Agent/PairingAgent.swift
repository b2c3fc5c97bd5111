public import DBus
import Synchronization

/// Answers the daemon's pairing requests for this process, as long as the instance exists.
///
/// ```swift
/// let agent = try await PairingAgent.register(JustWorks(), client: bluetooth)
/// ```
///
/// A client can have at most one agent. The daemon asks the agent of the program that started the
/// pairing, or the default agent if the device started it. After a restart of the daemon, the
/// agent is registered again.
public final class PairingAgent: Sendable {
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

    /// Registers an agent.
    ///
    /// - Parameters:
    ///   - handler: answers the daemon's requests.
    ///   - client: the client whose connection exports the agent.
    ///   - isDefault: whether the agent also handles pairings that devices start.
    ///   - path: the path of the agent's object on the client's connection.
    ///   - onState: called with each change of the registration's state, on the bus's thread; the
    ///     closure must not block.
    /// - Throws: ``BlueZError/noDaemon``, ``BlueZError/permissionDenied(_:)``, or
    ///   ``BlueZError/failed(_:)`` if the client already has an agent.
    public static func register(
        _ handler: any PairingHandler,
        client: BlueZClient,
        isDefault: Bool = true,
        at path: ObjectPath = ObjectPath("/org/bleota/agent")!,
        onState: @escaping @Sendable (RegistrationState) -> Void = { _ in }
    ) async throws(BlueZError) -> PairingAgent {
        let capability: BusValue = .string(handler.capability.rawValue)
        var steps = [RegistrationPlan.Step("RegisterAgent", [.path(path), capability])]
        if isDefault { steps.append(.init("RequestDefaultAgent", [.path(path)])) }
        let plan = RegistrationPlan(
            manager: Interface.agentManager,
            seat: nil,
            needsPower: false,
            outlivesPower: false,
            steps: steps,
            undoing: .init("UnregisterAgent", [.path(path)])
        )
        let registration = Registration(plan, client, onState: onState)
        let object = AgentObject(handler)
        object.whenReleased { [weak registration] in
            // A stopping daemon releases its agents. When the next daemon starts, the agent is
            // registered again.
            registration?.lose(.failed("it released the agent"))
        }
        let agent = PairingAgent(client, path, registration)
        client.bus.export(object, at: path)
        do throws(BlueZError) {
            try await registration.begin()
        } catch {
            await agent.unregister()
            throw error
        }
        return agent
    }

    /// Unregisters the agent, and returns when the daemon has done so or is gone, after at most
    /// 5 seconds.
    public func unregister() async {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        guard !wasOver else { return }
        await registration.withdraw()
        client.bus.removeObject(at: path)
    }
}
