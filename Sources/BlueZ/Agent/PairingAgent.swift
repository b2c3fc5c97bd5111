public import DBus
import Synchronization

/// Answers for this process when a device is paired, for as long as this lives.
///
/// ```swift
/// let agent = try await PairingAgent.register(JustWorks(), client: bluetooth)
/// ```
///
/// There is one at most for a client. The daemon asks the agent of the program that pairs and,
/// where the device began, the default one. After a restart of the daemon it is registered again.
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
    ///   - isDefault: whether it is asked about pairings that devices begin, too.
    ///   - path: where its object is on our connection.
    ///   - onState: is called with what becomes of it, on the bus's thread; it must not wait.
    /// - Throws: ``BlueZError/noDaemon``, ``BlueZError/permissionDenied(_:)``,
    ///   ``BlueZError/failed(_:)`` when the client has one already.
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
            // A daemon that ends says so; the next one is told by the event of its start.
            registration?.lose(.failed("it let go of the agent"))
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

    /// Answers no longer; returns when the daemon knows, or is gone; at most 5 seconds.
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
